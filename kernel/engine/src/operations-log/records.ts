import { type Store, type StoredRecord, SvcError } from '@svc/contracts';
import { isTagOf, type OperationsKey, tagOf } from './operations-key.ts';

type Meta = Pick<Store, 'readMeta' | 'writeMeta'>;
type Query = { readonly since_seq: number; readonly limit: number };
type Read = { readonly seq: number; readonly bytes: string | null };

/** Of the keys of all values of the log, the beginning. */
export const OPERATIONS_KEYS = 'operations/';
/** Of the keys of its records, behind that. */
const RECORDS = 'record/';
/** Values read at once, at most: databases answer them side by side. */
const AT_ONCE = 64;
/** Characters of HMAC-SHA-256 in base64. */
const TAG_LENGTH = 44;

/**
 * The records of the operations log, each a value of its own in the store: its tag, a space, its bytes. A value is written once, and only if
 * there is none yet: so the log is one chain, whichever process writes. Whoever reads a record gets one that a gateway of this content key
 * wrote, or an error: so it is not applied, signed, exported or shown. What keeps a tree over records takes it for a store.
 */
export class OperationRecords {
  readonly #meta: Meta;
  readonly #key: OperationsKey;

  constructor(meta: Meta, key: OperationsKey) {
    this.#meta = meta;
    this.#key = key;
  }

  /**
   * In order of `seq`, at most `limit` of those after `since_seq`. Whoever looks for what is new asks for one value, as long as there is none.
   * @throws {SvcError} SVC-STORE-001 where one is missing before others, or is not what a gateway wrote
   */
  async records(query: Query): Promise<StoredRecord[]> {
    const { found, wrong } = await this.upToWrong(query);
    if (wrong !== null) throw altered(wrong);
    return found;
  }

  /** The same up to the first that is wrong, and its `seq`: what somebody puts behind a record does not keep that from being applied. */
  async upToWrong({ since_seq, limit }: Query): Promise<{ readonly found: StoredRecord[]; readonly wrong: number | null }> {
    const found: StoredRecord[] = [];
    let missed: number | null = null;
    for (let width = 1; found.length < limit; width = Math.min(AT_ONCE, 2 * width)) {
      const first = since_seq + found.length + 1;
      const asked = Array.from({ length: Math.min(width, limit - found.length) }, (_, index) => first + index);
      const page = await this.#read(asked);
      const end = page.findIndex(({ seq, bytes }, index) => seq !== first + index || bytes === null);
      const whole = (end < 0 ? page : page.slice(0, end)).filter(isRight);
      found.push(...whole);
      const wrong = first + end;
      if (end < 0) {
        if (page.length < asked.length) break;
      } else {
        // The values are not read at one moment: it may have been written after it was looked for, and before the next one was.
        if (page[end]?.seq === wrong || missed === wrong) return { found, wrong };
        missed = wrong;
      }
    }
    return { found, wrong: null };
  }

  /** @throws {SvcError} SVC-STORE-001 for one that is not what a gateway wrote */
  async recordsBySeq(seqs: readonly number[]): Promise<StoredRecord[]> {
    return (await this.#read(seqs)).map((read) => {
      if (!isRight(read)) throw altered(read.seq);
      return read;
    });
  }

  /** Those that are there; without bytes where they are not what a gateway wrote. */
  async #read(seqs: readonly number[]): Promise<Read[]> {
    const values = await Promise.all(seqs.map((seq) => this.#meta.readMeta(recordKey(seq))));
    if (values.every((value) => value === null)) return [];
    const key = await this.#key.find();
    return values.flatMap((value, index) => {
      if (value === null) return [];
      const { tag, bytes } = recordIn(value);
      return [{ seq: seqs[index] ?? 0, bytes: key !== null && isTagOf(tag, key, bytes) ? bytes : null }];
    });
  }

  /** Resolves to false, and writes nothing, where there is a record of this seq. */
  async add({ seq, bytes }: StoredRecord): Promise<boolean> {
    return this.#meta.writeMeta(recordKey(seq), null, tagged(await this.#key.ensure(), bytes));
  }

  /**
   * Where the content key is lost that wraps the key of the log: gives all records tags by another, as they are now. Nobody may write
   * meanwhile; after a failure, it may be repeated.
   */
  async adopt(): Promise<void> {
    if (!(await this.#key.isLost())) return;
    await this.#key.replace(async (key) => {
      for (let seq = 1; ; seq += 1) {
        const value = await this.#meta.readMeta(recordKey(seq));
        if (value === null) return;
        await this.#meta.writeMeta(recordKey(seq), value, tagged(key, recordIn(value).bytes));
      }
    });
  }

  /** Values that belong to the log, such as its tree. */
  readMeta(key: string): Promise<string | null> {
    return this.#meta.readMeta(OPERATIONS_KEYS + key);
  }

  writeMeta(key: string, expected: string | null, value: string): Promise<boolean> {
    return this.#meta.writeMeta(OPERATIONS_KEYS + key, expected, value);
  }
}

/** @returns the error for a log that is not what was written */
export function altered(seq: number): SvcError {
  return new SvcError('SVC-STORE-001', `record ${seq} of the operations log is not what was written`);
}

function isRight(read: Read): read is StoredRecord {
  return read.bytes !== null;
}

function tagged(key: Buffer, bytes: string): string {
  return `${tagOf(key, bytes)} ${bytes}`;
}

/** What is in the value of a record; nothing is checked. */
export function recordIn(value: string): { readonly tag: string; readonly bytes: string } {
  return { tag: value.slice(0, TAG_LENGTH), bytes: value.slice(TAG_LENGTH + 1) };
}

function recordKey(seq: number): string {
  return `${OPERATIONS_KEYS}${RECORDS}${String(seq).padStart(12, '0')}`;
}

/** The seq of the record that is kept under a key; null for another value. */
export function seqOfKey(key: string): number | null {
  const seq = Number(key.slice(OPERATIONS_KEYS.length + RECORDS.length));
  return Number.isInteger(seq) && key === recordKey(seq) ? seq : null;
}
