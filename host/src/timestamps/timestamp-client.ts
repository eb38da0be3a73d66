import type { Timestamp, TimestampAuthority } from '@svc/runtime/records';
import { post } from '../net/post.ts';
import type { ReadCertificate } from './certificate-chain.ts';

/** A response has one token, with a few certificates. */
const MAX_BYTES = 65_536;

/** The authority did not answer with 200. `code` is logged. */
class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly code: string;
  constructor(status: number) {
    super(`the authority answered with ${status}`);
    this.code = `HTTP_${status}`;
  }
}

/** Requests time-stamp tokens over HTTP, RFC 3161, 3.4. */
export class TimestampClient implements TimestampAuthority {
  readonly #url: string;
  readonly #roots: readonly ReadCertificate[];
  readonly #fetch: typeof fetch;

  constructor(url: string, roots: readonly ReadCertificate[], send: typeof fetch) {
    this.#url = url;
    this.#roots = roots;
    this.#fetch = send;
  }

  async stamp(data: Uint8Array, signal: AbortSignal): Promise<Timestamp> {
    const { checkTimestamp, timestampRequest } = await import('./timestamp-response.ts');
    const { der, nonce } = timestampRequest(data);
    const headers = { 'content-type': 'application/timestamp-query' };
    const { status, bytes } = await post(this.#fetch, this.#url, { body: der, headers, signal, max_bytes: MAX_BYTES });
    if (status !== 200) throw new HttpFailure(status);
    return { reply: bytes, time: checkTimestamp(bytes, data, this.#roots, nonce).time };
  }
}
