import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { type Behaviour, JSON_HEADERS, raw, SSE_HEADERS } from '../fixtures/upstream.ts';
import { awsEvent } from './aws-events.ts';

/** One call and what its vendor answers. */
export interface Exchange {
  /** What of the vendor it shows, as the page of providers says it. */
  readonly what: string;
  readonly model: string;
  readonly paths: { readonly whole: string; readonly streamed?: string };
  /** What comes in front of the whole answer. */
  readonly before?: string;
  readonly whole: JsonObject;
  /** Events; a text is data, or a comment. */
  readonly streamed?: readonly (JsonObject | string)[];
  readonly answer: {
    readonly text?: string;
    readonly reasoning?: string;
    readonly calls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
    /** Parts of the content that are no text. */
    readonly others?: readonly JsonObject[];
    readonly finish?: string;
    /** Tokens in and out. */
    readonly usage?: readonly [number, number];
    readonly vector?: readonly number[];
  };
}

/** Exchanges with a vendor. */
export interface Vendor {
  /** The first cell of its row in docs/providers.md. */
  readonly vendor: string;
  /** Taken from the wire, or written by the vendor's documentation. */
  readonly kind: 'recorded' | 'documented';
  /** Of the recording, or of the reading. */
  readonly date: string;
  readonly source: string;
  /** A section of `providers`; `{origin}` is the address of the server. */
  readonly provider: JsonObject;
  /** The header with the key; its value is the beginning. */
  readonly key: { readonly name: string; readonly value: string } | null;
  /** How events come: `data` alone, `typed` with their names, or framed as AWS does. */
  readonly stream: 'data' | 'typed' | 'aws';
  readonly exchanges: readonly Exchange[];
}

const FOLDER = join(import.meta.dirname, '../fixtures/exchanges');

/** All that are kept, by the names of their files. */
export const VENDORS: ReadonlyMap<string, Vendor> = new Map(
  readdirSync(FOLDER)
    .sort()
    .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))]),
);

/** The vendor's answer. */
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
