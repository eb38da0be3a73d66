import { type Static, Type } from 'typebox';
import { networkOptions } from '../network/options.ts';
import { HEADER_VALUE } from './header-value.ts';
import type { TokenSource } from './token-source.ts';

/** 16 MiB. A streamed answer of 40,000 tokens takes 14 MB at about 350 bytes per frame. */
const MAX_RESPONSE_BYTES = 16_777_216;

/** Properties for the options schema of a provider that has an {@link UpstreamClient}. */
export const connectionOptions = {
  connections: Type.Integer({
    default: 2048,
    minimum: 1,
    maximum: 65_536,
    description:
      'Maximum number of connections. Each call in progress uses one; a stream uses it until it has been read to the end. Further calls wait.',
  }),
  max_response_bytes: Type.Integer({
    default: MAX_RESPONSE_BYTES,
    minimum: 1024,
    description: 'Maximum size of an answer, whole or streamed. A longer one fails as malformed.',
  }),
  ...networkOptions,
};

const Options = Type.Object(connectionOptions);
export type ConnectionOptions = Static<typeof Options>;

/** The address of calls, and the headers that all calls have. */
export interface UpstreamTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Provides each call's `Authorization`, if that changes over time. */
  readonly tokens?: TokenSource;
}

/**
 * Checks what a schema cannot check in a `base_url` option, and appends `path` to the URL.
 * @throws {Error} with the key and the remedy, never with the value
 */
export function addressOf(base_url: string, path: string): Pick<UpstreamTarget, 'origin' | 'path'> {
  const url = URL.parse(base_url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('base_url: must be an http or https URL, such as https://models.example/v1');
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('base_url: must not contain a user name or password; set api_key instead');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new Error(`base_url: must not have a query or fragment; ${path} is appended to its path`);
  }
  return { origin: url.origin, path: `${url.pathname.replace(/\/+$/, '')}${path}` };
}

/**
 * Checks an `api_key` option. A key that was read from a file often ends with a line feed, which a header cannot contain.
 * @throws {Error} with the key and the remedy, never with the value
 */
export function checkApiKey(api_key: string | undefined): void {
  if (api_key === undefined || new RegExp(HEADER_VALUE).test(api_key)) return;
  throw new Error(
    'api_key: is empty, or contains white space, control or non-ASCII characters; correct the secret, or remove api_key if the server needs none',
  );
}
