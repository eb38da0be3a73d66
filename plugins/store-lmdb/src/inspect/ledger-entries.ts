import { hash } from 'node:crypto';
import type { SeqRange } from '@svc/sdk/store';
import { GENESIS } from '@svc/toolkit/store';
import { fromBufferKey, toBufferKey } from 'ordered-binary';
import { decodeEntry, type Entry, isRare, modelKey, RECORD_TYPES, typeKey } from '../tables/ledger.ts';
import { KeySet } from './key-set.ts';

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
    const seq = fromBufferKey(key) as number;
    if (seq !== this.#seq + 1) this.#add(this.#seq + 1, Math.max(this.#seq + 1, seq - 1));
    const entry = decodeEntry(value.toString());
    // After damaged records, the previous hash is unknown.
    const isNext = this.#damage?.through === seq - 1 || entry.bytes.includes(`"prev_hash":"${this.#hash}"`);
    const type = RECORD_TYPES.find((known) => known === entry.record_type);
    if (type === undefined || !isNext || !isSealed(entry)) this.#add(seq, seq);
    else {
      const { model_id } = JSON.parse(entry.bytes) as { model_id: string };
      this.index.add(toBufferKey(modelKey(model_id, type, seq)));
      if (isRare(type)) this.index.add(toBufferKey(typeKey(type, seq)));
    }
    this.#seq = seq;
    this.#hash = entry.hash;
  }

  #add(from: number, through: number): void {
    const before = this.#damage ?? { from, through };
    this.#damage = { from: Math.min(before.from, from), through: Math.max(before.through, through) };
  }
}

/** Whether these are the bytes that were hashed. A text can contain its own hash only once. */
export function isSealed({ bytes, hash: sealed }: Pick<Entry, 'bytes' | 'hash'>): boolean {
  return `sha256:${hash('sha256', bytes.replace(`"hash":"${sealed}",`, ''))}` === sealed;
}
