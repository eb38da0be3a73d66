import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
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
export class NoticeReceiver {
  readonly received: ReceivedNotice[] = [];
  /** How it responds. */
  respond: (response: ServerResponse) => void = (response) => response.writeHead(204).end();
  readonly #sockets = new Set<Socket>();
  #server = createServer();
  #port = 0;

  /** Listens on the previous port if there was one. */
  async listen(): Promise<this> {
    this.#server = createServer(async (request, response) => {
      const received = await text(request);
      this.received.push({ headers: request.headers, text: received, body: JSON.parse(received) });
      this.respond(response);
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/T0/B0/in-the-url-is-a-secret`;
  }

  /** Resolves to the first notices once this many have arrived. */
  async first(count: number): Promise<readonly ReceivedNotice[]> {
    await until(() => this.received.length >= count);
    return this.received.slice(0, count);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** The body, if its signature is valid. @throws otherwise */
export function verifiedNotice({ headers, text: body }: ReceivedNotice, secret = NOTICE_SECRET): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}
