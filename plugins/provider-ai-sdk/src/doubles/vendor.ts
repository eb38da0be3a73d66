import type { Behaviour } from '@svc/sdk/testing';
import type { AiSdkOptions } from '../model/options.ts';

/** A vendor's server and the package that calls it. All answers are of the vendor's documented shapes. */
export interface Vendor {
  readonly package: string;
  readonly model: string;
  /** @param url of the double, without a path */
  readonly settings: (url: string) => AiSdkOptions['settings'];
  /** Whether a request is authorised as the vendor asks for it. */
  readonly authorization: RegExp;
  /** Path of a whole and of a streamed call. */
  readonly paths: { readonly whole: string; readonly streamed: string };
  /** {@link TEXT} after {@link THOUGHT}, with 12 and 5 tokens. */
  readonly whole: Behaviour;
  readonly streamed: Behaviour;
  /** A call of `pay` with {@link ARGUMENTS}. */
  readonly wholeCall: Behaviour;
  readonly streamedCall: Behaviour;
  /** 429, for 7 s. */
  readonly refusal: Behaviour;
  /** A stream that begins and then reports that the model is overloaded, or breaks off. */
  readonly failingStream: Behaviour;
  readonly failure: object;
  /** A stream that says something and goes on for ever. */
  readonly openStream: Behaviour;
  /** A stream that ends in the middle, with its connection in order. */
  readonly cutStream: Behaviour;
  /** What the vendor is asked for a tool and its result, in its own shape. */
  readonly toolRequest: object;
}

export const TEXT = 'Two words: café 👩‍💻.';
export const THOUGHT = 'The user wants words.';
export const ARGUMENTS = { to: 'Ann', amount: 12 };
/** Is in every refusal, and must not leave the provider. */
export const MARKER = 'upstream-words-4711';

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Behaviour {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-77', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** @param ends false: the connection is left open */
export function bytes(type: string, pieces: readonly (string | Uint8Array)[], ends = true): Behaviour {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': type, 'x-request-id': 'req-77' });
    for (const piece of pieces) response.write(piece);
    if (ends) response.end();
  };
}

/** A server-sent event. */
interface VendorEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function events(list: readonly VendorEvent[], ends = true): Behaviour {
  const frames = list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return bytes('text/event-stream', frames, ends);
}
