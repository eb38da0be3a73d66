import { hash } from 'node:crypto';
import type { SeqRange } from '@svc/sdk/store';
import { GENESIS } from '@svc/toolkit/store';
import { fromBufferKey, toBufferKey } from 'ordered-binary';
import { decodeEntry, isRare, modelKey, RECORD_TYPES, typeKey } from '../tables/ledger.ts';
import { KeySet } from './key-set.ts';
import type { KeyRange } from './walk-tree.ts';

/** Stands for the seq of the ledger's last record if its page cannot be read: then the number of records is unknown. */
export const LAST_SEQ = Number.MAX_SAFE_INTEGER;

/** Checks that the records are the sealed ones, in order. */
export class LedgerEntries {
  /** The keys of the index that the records require. */
  readonly index = new KeySet();
  #seq = 0;
  #hash = GENESIS;
  #damage: SeqRange | null = null;

  get damage(): SeqRange | null {
    return this.#damage;
  }

  entry(key: Buffer, value: Buffer): void {
    const seq = seqOf(key);
    if (seq === null) {
      this.#add(this.#seq + 1, LAST_SEQ);
      return;
    }
    if (seq !== this.#seq + 1) this.#add(this.#seq + 1, Math.max(this.#seq + 1, seq - 1));
    const { record_type, hash: sealed, bytes } = decodeEntry(value.toString());
    // After damaged records the previous hash is unknown.
    const isNext = this.#damage?.through === seq - 1 || bytes.includes(`"prev_hash":"${this.#hash}"`);
    const type = RECORD_TYPES.find((known) => known === record_type);
    if (type === undefined || !isNext || !isSealed(bytes, sealed)) this.#add(seq, seq);
    else {
      const { model_id } = JSON.parse(bytes) as { model_id: string };
      this.index.add(toBufferKey(modelKey(model_id, type, seq)));
      if (isRare(type)) this.index.add(toBufferKey(typeKey(type, seq)));
    }
    this.#seq = seq;
    this.#hash = sealed;
  }

  damaged({ from, to }: KeyRange): void {
    const first = (from === null ? null : seqOf(from)) ?? 1;
    const through = ((to === null ? null : seqOf(to)) ?? LAST_SEQ + 1) - 1;
    this.#add(first, through);
    this.#seq = through;
  }

  #add(from: number, through: number): void {
    const before = this.#damage ?? { from, through };
    this.#damage = { from: Math.min(before.from, from), through: Math.max(before.through, through) };
  }
}

function seqOf(key: Buffer): number | null {
  // A key that is not a number may be anything.
  try {
    const seq: unknown = fromBufferKey(key);
    return typeof seq === 'number' && Number.isSafeInteger(seq) ? seq : null;
  } catch {
    return null;
  }
}

/** Whether these are the bytes that were hashed. A text can contain its own hash only once. */
export function isSealed(bytes: string, sealed: string): boolean {
  return `sha256:${hash('sha256', bytes.replace(`"hash":"${sealed}",`, ''))}` === sealed;
}
