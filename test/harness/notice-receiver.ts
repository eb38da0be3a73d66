import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { HttpDouble } from '@svc/toolkit/testing';
import { Webhook } from 'standardwebhooks';
import { until } from './until.ts';

export const NOTICE_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

export interface ReceivedNotice {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any;
}

/** A receiver of notices over HTTP on 127.0.0.1, such as Slack. */
export class NoticeReceiver extends HttpDouble {
  readonly received: ReceivedNotice[] = [];
  /** How it responds. */
  respond: (response: ServerResponse) => void = (response) => response.writeHead(204).end();

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await text(request);
    this.received.push({ headers: request.headers, text: received, body: JSON.parse(received) });
    this.respond(response);
  }

  get url(): string {
    return `${this.origin}/T0/B0/in-the-url-is-a-secret`;
  }

  /** Resolves to the first notices once this many have arrived. */
  async first(count: number): Promise<readonly ReceivedNotice[]> {
    await until(() => this.received.length >= count);
    return this.received.slice(0, count);
  }
}

/** The body, if its signature is valid. @throws otherwise */
export function verifiedNotice({ headers, text: body }: ReceivedNotice, secret = NOTICE_SECRET): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}
