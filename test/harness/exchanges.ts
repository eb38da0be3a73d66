import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { type Behaviour, JSON_HEADERS, raw, SSE_HEADERS } from '../fixtures/upstream.ts';
import { awsEvent } from './aws-events.ts';

/** A call and the vendor's answer. */
export interface Exchange {
  /** The vendor's peculiarity that this exchange shows, as in docs/providers.md. */
  readonly what: string;
  readonly model: string;
  readonly paths: { readonly whole: string; readonly streamed?: string };
  /** Bytes before the whole answer. */
  readonly before?: string;
  readonly whole: JsonObject;
  /** Events. A string is data or a comment. */
  readonly streamed?: readonly (JsonObject | string)[];
  readonly answer: {
    readonly text?: string;
    readonly reasoning?: string;
    readonly calls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
    /** Content parts other than text. */
    readonly others?: readonly JsonObject[];
    readonly finish?: string;
    /** Input and output tokens. */
    readonly usage?: readonly [number, number];
    readonly vector?: readonly number[];
  };
}

export interface Vendor {
  /** First cell of its row in docs/providers.md. */
  readonly vendor: string;
  /** Recorded from the network, or written from the vendor's documentation. */
  readonly kind: 'recorded' | 'documented';
  /** When it was recorded, or the documentation was read. */
  readonly date: string;
  readonly source: string;
  /** A section of `providers`. `{origin}` is the server's URL. */
  readonly provider: JsonObject;
  /** The header with the key, and the prefix of its value. */
  readonly key: { readonly name: string; readonly value: string } | null;
  /** Form of the events: `data` only, `typed` with names, or in AWS's framing. */
  readonly stream: 'data' | 'typed' | 'aws';
  readonly exchanges: readonly Exchange[];
}

const FOLDER = join(import.meta.dirname, '../fixtures/exchanges');

/** All stored vendors, by file name. */
export const VENDORS: ReadonlyMap<string, Vendor> = new Map(
  readdirSync(FOLDER)
    .sort()
    .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))]),
);

/** Replays the vendor's answer as an upstream. */
export function replay({ stream }: Vendor, { whole, before = '', streamed = [] }: Exchange, as: 'whole' | 'streamed'): Behaviour {
  if (as === 'whole') return raw(200, JSON_HEADERS, before + JSON.stringify(whole));
  if (stream !== 'aws') return raw(200, SSE_HEADERS, streamed.map((event) => eventOf(event, stream)).join(''));
  const events = streamed.flatMap((event) => Object.entries(event).map(([type, payload]) => awsEvent(type, payload)));
  return raw(200, { 'content-type': 'application/vnd.amazon.eventstream' }, Buffer.concat(events));
}

function eventOf(event: JsonObject | string, stream: 'data' | 'typed'): string {
  if (typeof event === 'string') return event.startsWith(':') ? `${event}\n\n` : `data: ${event}\n\n`;
  return `${stream === 'typed' ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
}
