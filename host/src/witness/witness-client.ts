import type { Verifier } from '@svc/ledger';
import type { Witness } from '@svc/runtime/records';

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
    const send = this.#fetch;
    const response = await send(this.#url, { method: 'POST', body, redirect: 'manual', signal }).catch((error: unknown) => {
      throw Object.assign(new Error('no response'), { code: codeOf(error) });
    });
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) {
      text += decoder.decode(part, { stream: true });
      if (text.length > MAX_BYTES) throw Object.assign(new Error('too long'), { code: 'RESPONSE_TOO_LARGE' });
    }
    return { status: response.status, text };
  }
}

/** The code of the connection's failure, such as ECONNREFUSED. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : null;
  return typeof code === 'string' ? code : 'UNREACHABLE';
}
