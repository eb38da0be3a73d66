import type { Behaviour } from '@svc/sdk/testing';
import type { AiSdkOptions } from '../model/options.ts';

/** A vendor's server and the package that calls it. All answers have the shapes in the vendor's documentation. */
export interface Vendor {
  readonly package: string;
  readonly model: string;
  /** @param url URL of the double, without a path */
  readonly settings: (url: string) => AiSdkOptions['settings'];
  /** What the authorization header must match. */
  readonly authorization: RegExp;
  /** Paths of whole and streamed calls. */
  readonly paths: { readonly whole: string; readonly streamed: string };
  /** {@link THOUGHT} then {@link TEXT}, with 12 input and 5 output tokens. */
  readonly whole: Behaviour;
  readonly streamed: Behaviour;
  /** A call of `pay` with {@link ARGUMENTS}. */
  readonly wholeCall: Behaviour;
  readonly streamedCall: Behaviour;
  /** Status 429, with 7 s to wait. */
  readonly refusal: Behaviour;
  /** A stream that starts and then either reports an overloaded model or breaks off. */
  readonly failingStream: Behaviour;
  readonly failure: object;
  /** A stream that sends some text and never ends. */
  readonly openStream: Behaviour;
  /** A stream whose connection closes normally, but without the last event. */
  readonly cutStream: Behaviour;
  /** The vendor's form of a request with a tool and its result. */
  readonly toolRequest: object;
}

export const TEXT = 'Two words: café 👩‍💻.';
export const THOUGHT = 'The user wants words.';
export const ARGUMENTS = { to: 'Ann', amount: 12 };
/** Text in every refusal that must not leave the provider. */
export const MARKER = 'upstream-words-4711';

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Behaviour {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-77', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** @param ends false leaves the connection open */
export function bytes(type: string, pieces: readonly (string | Uint8Array)[], ends = true): Behaviour {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': type, 'x-request-id': 'req-77' });
    for (const piece of pieces) response.write(piece);
    if (ends) response.end();
  };
}

interface VendorEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function events(list: readonly VendorEvent[], ends = true): Behaviour {
  const frames = list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return bytes('text/event-stream', frames, ends);
}
