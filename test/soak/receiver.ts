import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { HttpDouble } from '@svc/toolkit/testing';
import { Webhook } from 'standardwebhooks';

export const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

/** The receiver of the webhook exporter. It keeps the hash of every record. {@link HttpDouble.close} takes it away, and `listen` brings it back. */
export class Receiver extends HttpDouble {
  /** Hash by seq; the first record has seq 1. */
  readonly hashes: string[] = [];
  /** Records that came more than once. */
  repeated = 0;
  /** Records that came before the previous one, had another hash the second time, or a wrong signature. */
  readonly faults: string[] = [];

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => null);
    if (body === null) return;
    try {
      const sent = new Webhook(SECRET).verify(body, request.headers as Record<string, string>) as { type: string; data: Sent[] };
      if (sent.type === 'records') for (const record of sent.data) this.#take(record);
    } catch (error) {
      this.faults.push(String(error));
    }
    response.writeHead(204).end();
  }

  #take({ seq, hash }: Sent): void {
    const before = this.hashes[seq];
    if (before === undefined && seq > 1 && this.hashes[seq - 1] === undefined) this.faults.push(`record ${seq} skips one`);
    if (before !== undefined && before !== hash) this.faults.push(`record ${seq} changed`);
    if (before !== undefined) this.repeated += 1;
    this.hashes[seq] = hash;
  }
}

interface Sent {
  readonly seq: number;
  readonly hash: string;
}
