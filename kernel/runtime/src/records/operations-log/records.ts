import { type Store, type StoredRecord, SvcError } from '@svc/contracts';
import { isTagOf, type OperationsKey, type TaggedRecord, tagOf } from './operations-key.ts';

type Meta = Pick<Store, 'readMeta' | 'writeMeta'>;
type Query = { readonly since_seq: number; readonly limit: number };
type Read = { readonly seq: number; readonly bytes: string | null };

/** Key prefix of all values of the log. */
export const OPERATIONS_KEYS = 'operations/';
/** Key prefix of the log's records, which follows the prefix of the log. */
const RECORDS = 'record/';
/** Maximum number of concurrent reads. */
const AT_ONCE = 64;
/** Length of an HMAC-SHA-256 in base64, in characters. */
const TAG_LENGTH = 44;

/**
 * The records of the operations log. Each record is a value of its own in the store: its tag, a space, and its bytes. A value is written only if
 * there is none yet. So the log is one chain, whichever process writes. Reading a record that no gateway with this content key wrote is an error:
 * such a record is never applied, signed, exported or shown. The tree uses this class as its store.
 */
export class OperationRecords {
  readonly #meta: Meta;
  readonly #key: OperationsKey;

  constructor(meta: Meta, key: OperationsKey) {
    this.#meta = meta;
    this.#key = key;
  }

  /**
   * Records after `since_seq` in order, at most `limit`. If there are no new records, this costs one read.
   * @throws {SvcError} SVC-STORE-001 if a record is missing before others, or no gateway wrote it
   */
  async records(query: Query): Promise<StoredRecord[]> {
    const { found, wrong } = await this.upToWrong(query);
    if (wrong !== null) throw altered(wrong);
    return found;
  }

  /** The records up to the first invalid one, and its `seq`. So a forged record does not prevent earlier ones from being applied. */
  async upToWrong({ since_seq, limit }: Query): Promise<{ readonly found: StoredRecord[]; readonly wrong: number | null }> {
    const found: StoredRecord[] = [];
    let missed: number | null = null;
    for (let width = 1; found.length < limit; width = Math.min(AT_ONCE, 2 * width)) {
      const first = since_seq + found.length + 1;
      const seqs = Array.from({ length: Math.min(width, limit - found.length) }, (_, index) => first + index);
      const page = await this.#read(seqs);
      const end = page.findIndex(({ seq, bytes }, index) => seq !== first + index || bytes === null);
      const whole = (end < 0 ? page : page.slice(0, end)).filter(isRight);
      found.push(...whole);
      const wrong = first + end;
      if (end < 0) {
        if (page.length < seqs.length) break;
      } else {
        // The values are not read atomically: this one may have been written after it was read and before the next one was read.
        if (page[end]?.seq === wrong || missed === wrong) return { found, wrong };
        missed = wrong;
      }
    }
    return { found, wrong: null };
  }

  /** @throws {SvcError} SVC-STORE-001 for a record that no gateway wrote */
  async recordsBySeq(seqs: readonly number[]): Promise<StoredRecord[]> {
    return (await this.#read(seqs)).map((read) => {
      if (!isRight(read)) throw altered(read.seq);
      return read;
    });
  }

  /** The existing records. If no gateway wrote a record, it has no bytes. */
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

  /** Adds a record. If there is a record with this seq, writes nothing and resolves to false. */
  async add({ seq, bytes }: StoredRecord): Promise<boolean> {
    return this.#meta.writeMeta(recordKey(seq), null, tagged(await this.#key.ensure(), bytes));
  }

  /**
   * Tags all records with the newest key, and removes the earlier keys. Goes from the last record to the first, so that a record with an older tag
   * never follows one with a newer tag. Other processes may write meanwhile: to add a record, they must have read the last one, from which they learn
   * the newest key.
   * @param head `seq` of a record before which none is missing; if the newest key did not tag it, records with older tags may still be added
   * @param heard resolves when other processes had time to read up to `head`
   * @returns false if it must be retried
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
   * Use this if the key of the log is lost, or the content key that wraps it. Accepts all records as they are, and tags them with a new key. Nobody
   * may write meanwhile. May be repeated after a failure.
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

  /** The value of a record, or the value that replaced it meanwhile. Null if no gateway wrote it. */
  async #vouched(seq: number, value: string): Promise<string | null> {
    if (await this.#key.vouchesFor(seq, recordIn(value))) return value;
    // The record may have been tagged again since it was read.
    const now = await this.#meta.readMeta(recordKey(seq));
    if (now === null || now === value || !(await this.#key.vouchesFor(seq, recordIn(now)))) return null;
    return now;
  }

  /** Reads a value that belongs to the log, such as its tree. */
  readMeta(key: string): Promise<string | null> {
    return this.#meta.readMeta(OPERATIONS_KEYS + key);
  }

  writeMeta(key: string, expected: string | null, value: string): Promise<boolean> {
    return this.#meta.writeMeta(OPERATIONS_KEYS + key, expected, value);
  }
}

/** @returns the error for an altered log */
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

/** The parts of a record's value, unchecked. */
export function recordIn(value: string): TaggedRecord {
  return { tag: value.slice(0, TAG_LENGTH), bytes: value.slice(TAG_LENGTH + 1) };
}

function recordKey(seq: number): string {
  return `${OPERATIONS_KEYS}${RECORDS}${String(seq).padStart(12, '0')}`;
}

/** The seq of the record under a key. Null for other values. */
export function seqOfKey(key: string): number | null {
  const seq = Number(key.slice(OPERATIONS_KEYS.length + RECORDS.length));
  return Number.isInteger(seq) && key === recordKey(seq) ? seq : null;
}
