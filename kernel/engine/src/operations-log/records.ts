import type { Store, StoredRecord } from '@svc/contracts';

type Meta = Pick<Store, 'readMeta' | 'writeMeta'>;

const PREFIX = 'operations/';
/** Values read at once: databases answer them side by side. */
const AT_ONCE = 64;

/**
 * The records of the operations log, each a value of its own in the store. A value is written once, and only if there is none yet: so the log
 * is one chain, whichever process writes. What keeps a tree over records takes it for a store.
 */
export class OperationRecords {
  readonly #meta: Meta;

  constructor(meta: Meta) {
    this.#meta = meta;
  }

  /** In order of `seq`, at most `limit` of those after `since_seq`. */
  async records({ since_seq, limit }: { readonly since_seq: number; readonly limit: number }): Promise<StoredRecord[]> {
    const found: StoredRecord[] = [];
    while (found.length < limit) {
      const first = since_seq + found.length + 1;
      // One at first: what is asked again and again is whether there is a new one.
      const count = found.length === 0 ? 1 : Math.min(AT_ONCE, limit - found.length);
      const asked = Array.from({ length: count }, (_, index) => first + index);
      const page = await this.recordsBySeq(asked);
      found.push(...page);
      if (page.length < asked.length) break;
    }
    return found;
  }

  async recordsBySeq(seqs: readonly number[]): Promise<StoredRecord[]> {
    const values = await Promise.all(seqs.map((seq) => this.#meta.readMeta(recordKey(seq))));
    return values.flatMap((bytes, index) => (bytes === null ? [] : [{ seq: seqs[index] ?? 0, bytes }]));
  }

  /** Resolves to false, and writes nothing, where there is a record of this seq. */
  add({ seq, bytes }: StoredRecord): Promise<boolean> {
    return this.#meta.writeMeta(recordKey(seq), null, bytes);
  }

  /** Values that belong to the log, such as its tree. */
  readMeta(key: string): Promise<string | null> {
    return this.#meta.readMeta(PREFIX + key);
  }

  writeMeta(key: string, expected: string | null, value: string): Promise<boolean> {
    return this.#meta.writeMeta(PREFIX + key, expected, value);
  }
}

function recordKey(seq: number): string {
  return `${PREFIX}record/${String(seq).padStart(12, '0')}`;
}
