import { type Store, type StoredRecord, SvcError } from '@svc/contracts';
import { isTagOf, type OperationsKey, type TaggedRecord, tagOf } from './operations-key.ts';

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
    const found: Read[] = [];
    for (const [index, value] of values.entries()) {
      if (value === null) continue;
      const seq = seqs[index] ?? 0;
      const vouched = await this.#vouched(seq, value);
      found.push({ seq, bytes: vouched === null ? null : recordIn(vouched).bytes });
    }
    return found;
  }

  /** Resolves to false, and writes nothing, where there is a record of this seq. */
  async add({ seq, bytes }: StoredRecord): Promise<boolean> {
    return this.#meta.writeMeta(recordKey(seq), null, tagged(await this.#key.ensure(), bytes));
  }

  /**
   * Gives all records tags by the newest key, and ends those before it. Downwards: so at each moment none with an older tag is behind one with
   * a newer one. Others may write meanwhile: whoever adds a record has read the last one, and so the key of its tag.
   * @param head `seq` of a record with none before it missing; where that has no tag by the newest key, others may be added that have none
   * @param heard resolves when others have had the time to follow to it
   * @returns false where it is to be tried again
   */
  async retag(head: number, heard: () => Promise<void>): Promise<boolean> {
    return this.#key.end(async (newest) => {
      for (let seq = head; seq > 0; seq -= 1) {
        const value = await this.#vouched(seq, (await this.#meta.readMeta(recordKey(seq))) ?? '');
        if (value === null) throw altered(seq);
        const { tag, bytes } = recordIn(value);
        if (isTagOf(tag, newest, bytes)) continue;
        if (seq === head || !(await this.#meta.writeMeta(recordKey(seq), value, tagged(newest, bytes)))) return false;
      }
      await heard();
      return true;
    });
  }

  /**
   * Where the key of the log is missing, or the content key that wraps it is lost: gives all records tags by another, as they are now. Nobody
   * may write meanwhile; after a failure, it may be repeated.
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

  /** The value of a record that a gateway wrote: this one, or what took its place; null: no gateway wrote it. */
  async #vouched(seq: number, value: string): Promise<string | null> {
    if (await this.#key.vouchesFor(seq, recordIn(value))) return value;
    // It may have got another tag since it was read.
    const now = await this.#meta.readMeta(recordKey(seq));
    if (now === null || now === value || !(await this.#key.vouchesFor(seq, recordIn(now)))) return null;
    return now;
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
  return new SvcError(
    'SVC-STORE-001',
    `record ${seq} of the operations log differs from what was written: run svc ledger verify`,
  );
}

function isRight(read: Read): read is StoredRecord {
  return read.bytes !== null;
}

function tagged(key: Buffer, bytes: string): string {
  return `${tagOf(key, bytes)} ${bytes}`;
}

/** What is in the value of a record; nothing is checked. */
export function recordIn(value: string): TaggedRecord {
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
