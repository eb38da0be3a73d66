import { createHmac } from 'node:crypto';
import type { ContentKeys } from './key-tree.ts';

/** The leaf of the content key for pseudonyms. No run has this id. */
const LEAF = 'pseudonyms';

/**
 * Creates pseudonyms for the names of people in rows, records and logs. Their key is derived from the content key, so nobody without that can test
 * guesses of a name. All gateways with the same content key use the same pseudonyms; a new content key changes them.
 */
export class Pseudonyms {
  readonly #keys: Pick<ContentKeys, 'newest'>;
  #secret: Buffer | null = null;

  constructor(keys: Pick<ContentKeys, 'newest'>) {
    this.#keys = keys;
  }

  /** The pseudonym of a name that a principal sent: `hmac-sha256:` and 64 hex characters. The same name of two principals has two pseudonyms. */
  of(principal_id: string, name: string): string {
    this.#secret ??= this.#keys.newest.keyFor(LEAF);
    if (this.#secret === null)
      throw new TypeError('the content key lacks the secret for pseudonyms: restore the complete content key');
    return `hmac-sha256:${createHmac('sha256', this.#secret)
      .update(JSON.stringify([principal_id, name]))
      .digest('hex')}`;
  }
}
