import type { Verifier } from '@svc/ledger';
import type { Witness } from '@svc/runtime/records';
import { post } from '../net/post.ts';

/** A response has at most a few signature lines. */
const MAX_BYTES = 65_536;

/** Sends checkpoints to a witness, https://c2sp.org/tlog-witness. */
export class WitnessClient implements Witness {
  readonly verifier: Verifier;
  readonly #url: URL;
  readonly #fetch: typeof fetch;

  /** @param url the submission prefix */
  constructor(url: string, verifier: Verifier, send: typeof fetch) {
    this.verifier = verifier;
    this.#url = new URL(`${url.replace(/\/$/, '')}/add-checkpoint`);
    this.#fetch = send;
  }

  async addCheckpoint(body: string, signal: AbortSignal): Promise<{ readonly status: number; readonly text: string }> {
    const { status, bytes } = await post(this.#fetch, this.#url, { body, signal, max_bytes: MAX_BYTES });
    return { status, text: new TextDecoder().decode(bytes) };
  }
}
