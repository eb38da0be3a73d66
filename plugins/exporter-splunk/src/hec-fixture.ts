import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { HttpDouble } from '@svc/toolkit/testing';

export const TOKEN = 'b1c2d3e4-0000-4000-8000-000000000001';

/** An event as the collector stores it. */
export interface HecEvent {
  readonly time?: number;
  readonly host: string;
  readonly source: string;
  readonly sourcetype: string;
  readonly index?: string;
  readonly fields: { readonly seq: number; readonly hash: string; readonly ledger_id: string; readonly type: string };
  readonly event: unknown;
  /** The text of `event`. */
  readonly text: string;
}

/** How the collector answers: in order, or with a status, a code of Splunk and headers. */
export type Refusal = readonly [status: number, code: number, headers?: Record<string, string>];

const KEYS = ['time', 'host', 'source', 'sourcetype', 'index', 'fields', 'event'];

/** An HTTP Event Collector on 127.0.0.1. It is strict: what it does not know is refused with the code that Splunk documents. */
export class HecDouble extends HttpDouble {
  /** All events, with repetitions. */
  readonly events: HecEvent[] = [];
  /** Refused requests that were not as documented. */
  readonly malformed: string[] = [];
  readonly channels = new Set<string>();
  requests = 0;
  refusal: Refusal | null = null;
  /** The body of each 2xx response, instead of the collector's. */
  page: string | null = null;
  /** The hash of a record that is never accepted. */
  poison: string | null = null;
  /** How many events it stores before it is busy. */
  capacity = Number.POSITIVE_INFINITY;
  /** With acknowledgement: how many polls of a request are answered with false. */
  acks: number | null = null;
  readonly #pending = new Map<number, number>();

  /** Events without those whose hash came before. */
  once(isWanted: (one: HecEvent) => boolean = () => true): HecEvent[] {
    const seen = new Set<string>();
    return this.events.filter((one) => isWanted(one) && !seen.has(one.fields.hash) && seen.add(one.fields.hash));
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await buffer(request).catch(() => Buffer.alloc(0))).toString();
    const answer = (status: number, said: object, headers = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(said));
    };
    const refuse = (status: number, code: number, text: string) => {
      this.malformed.push(text);
      answer(status, { text, code });
    };
    this.requests += 1;
    const url = new URL(request.url ?? '', this.origin);
    const channel = request.headers['x-splunk-request-channel'];
    if (request.headers.authorization !== `Splunk ${TOKEN}`) return refuse(403, 4, 'Invalid token');
    if (this.refusal !== null) return answer(this.refusal[0], { text: 'SINK-TEXT', code: this.refusal[1] }, this.refusal[2]);
    if (request.method !== 'POST' || typeof channel !== 'string' || !/^[0-9a-f-]{36}$/.test(channel))
      return refuse(400, 11, 'Invalid data channel');
    this.channels.add(channel);
    if (url.pathname === '/services/collector/ack') return answer(200, { acks: this.#acksOf(body) });
    if (url.pathname !== '/services/collector/event') return refuse(404, 404, `no such path ${url.pathname}`);
    if (this.page !== null) return void response.writeHead(200).end(this.page);
    const events = eventsIn(body);
    if (typeof events === 'string') return refuse(400, 6, events);
    if (events.some(({ fields }) => fields.hash === this.poison)) return answer(400, { text: 'Invalid data format', code: 6 });
    if (this.events.length + events.length > this.capacity) return answer(503, { text: 'Server is busy', code: 9 });
    this.events.push(...events);
    if (this.acks === null) return answer(200, { text: 'Success', code: 0 });
    const ackId = this.#pending.size;
    this.#pending.set(ackId, this.acks);
    return answer(200, { text: 'Success', code: 0, ackId });
  }

  #acksOf(body: string): Record<string, boolean> {
    const { acks }: { acks: number[] } = JSON.parse(body);
    return Object.fromEntries(
      acks.map((id) => {
        const left = this.#pending.get(id) ?? Number.POSITIVE_INFINITY;
        this.#pending.set(id, left - 1);
        return [id, left <= 0];
      }),
    );
  }
}

/** The events of a request; the reason if it has another form. */
function eventsIn(body: string): HecEvent[] | string {
  const events: HecEvent[] = [];
  for (const line of body.split('\n')) {
    const event = parsed(line);
    if (event === null) return `not JSON: ${line.slice(0, 200)}`;
    const unknown = Object.keys(event).filter((key) => !KEYS.includes(key));
    if (unknown.length > 0) return `unknown keys ${unknown}`;
    if (event.event === undefined || event.event === '' || event.event === null) return 'no event';
    if (event.time !== undefined && typeof event.time !== 'number') return 'time is not a number';
    // Indexed fields are flat.
    if (Object.values(event.fields ?? {}).some((value) => typeof value === 'object')) return 'nested fields';
    events.push({ ...event, text: line.slice(line.indexOf(',"event":') + ',"event":'.length, -1) });
  }
  return events;
}

function parsed(line: string): HecEvent | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
