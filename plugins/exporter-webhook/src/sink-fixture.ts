import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { HttpDouble } from '@svc/toolkit/testing';
import { Webhook } from 'standardwebhooks';

export const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

/** A received request, verified with the reference library. */
export interface Asked {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  /** Seq of the first record. Null for a checkpoint. */
  readonly seq: number | null;
  /** The records, byte for byte as in the body. */
  readonly records: readonly string[];
}

/** Writes the response, and returns whether the sink stores what it received. */
export type Manner = (response: ServerResponse, asked: Asked) => boolean;

export const takes: Manner = (response) => {
  response.writeHead(204).end();
  return true;
};

/** A webhook receiver on 127.0.0.1. It verifies signatures, stores each record once, and responds as the test requires. */
export class Sink extends HttpDouble {
  manner: Manner = takes;
  /** Every request with a valid signature. */
  readonly asked: Asked[] = [];
  /** The stored records, in order of first arrival. */
  readonly kept: string[] = [];
  /** The stored records of the operations log. */
  readonly operations: string[] = [];
  /** All received checkpoints, with repetitions. */
  readonly notes: string[] = [];
  /** Maximum number of concurrent requests. */
  atOnce = 0;
  readonly #hashes = new Set<string>();
  readonly #secret: string;
  #inFlight = 0;

  constructor(secret = SECRET) {
    super();
    this.#secret = secret;
  }

  get url(): string {
    return `${this.origin}/hook`;
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#inFlight += 1;
    this.atOnce = Math.max(this.atOnce, this.#inFlight);
    response.once('close', () => {
      this.#inFlight -= 1;
    });
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const asked = this.#verified(request, body);
    if (asked === null) {
      response.writeHead(401).end();
      return;
    }
    this.asked.push(asked);
    if (!this.manner(response, asked)) return;
    if (asked.type === 'checkpoint') this.notes.push(JSON.parse(body).data.note);
    const log = JSON.parse(body).ledger_id.endsWith('/operations') ? this.operations : this.kept;
    for (const record of asked.records) this.#keep(record, log);
  }

  #keep(record: string, log: string[]): void {
    const { hash }: { hash: string } = JSON.parse(record);
    if (this.#hashes.has(hash)) return;
    this.#hashes.add(hash);
    log.push(record);
  }

  #verified({ headers }: IncomingMessage, body: string): Asked | null {
    const [id, at, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => `${headers[name]}`);
    try {
      const signed = { 'webhook-id': `${id}`, 'webhook-timestamp': `${at}`, 'webhook-signature': `${signature}` };
      const { type, data } = new Webhook(this.#secret).verify(body, signed) as { type: string; data: { seq?: number }[] };
      const text = body.slice(body.indexOf('"data":') + '"data":'.length, -1);
      const records = type === 'record' ? [text] : type === 'records' ? data.map((record) => JSON.stringify(record)) : [];
      return { id: `${id}`, type, body, seq: [data].flat()[0]?.seq ?? null, records };
    } catch {
      return null;
    }
  }
}
