import type { LedgerHead } from '@svc/contracts';
import { sha256 } from '@svc/ledger';
import type { OperationsKey } from './operations-key.ts';
import { type OperationRecords, recordIn } from './records.ts';

/** Name of the value with the index, among the values of the log. */
const INDEX = 'changes';
/** Prefix of the tagged text. No record begins like this. */
const TAGGED_AS = 'index of changes ';
/** The index is written again after this many records. So a start reads at most that many records in addition to the changes. */
const EVERY = 1_000;
/** Actions that change nothing in any process. Any caller can request them, so they may be most of the log. */
const CHANGE_NOTHING: ReadonlySet<string> = new Set(['content.erased', 'documents.erased', 'documents.deleted']);

/** The records, up to a head, that change something. */
interface Changes {
  readonly head: LedgerHead;
  readonly seqs: readonly number[];
  /** Digest of their hashes in order, so that none can be replaced by another. */
  readonly digest: string;
}

/**
 * The `seq` of every record, up to a head of the operations log, that changes what a gateway does. With this index, a start need not read the other
 * records. The index is tagged like records. Someone with write access to the store can remove it or restore an older one; then a start reads more.
 */
export class ChangeIndex {
  readonly #records: Pick<OperationRecords, 'readMeta' | 'writeMeta'>;
  readonly #key: OperationsKey;
  readonly #changes: LedgerHead[] = [];
  #written = 0;

  constructor(records: Pick<OperationRecords, 'readMeta' | 'writeMeta'>, key: OperationsKey) {
    this.#records = records;
    this.#key = key;
  }

  /** The stored index. Null if no gateway with the newest key wrote one. */
  async read(): Promise<Changes | null> {
    const value = await this.#records.readMeta(INDEX);
    if (value === null) return null;
    const { tag, bytes } = recordIn(value);
    return (await this.#key.isTagByNewest(tag, TAGGED_AS + bytes)) ? (JSON.parse(bytes) as Changes) : null;
  }

  /** Adds a record that was applied. */
  add({ seq, hash }: LedgerHead, action: string): void {
    if (!CHANGE_NOTHING.has(action)) this.#changes.push({ seq, hash });
  }

  /** Sets the head up to which the stored index was used. */
  startAt({ seq }: LedgerHead): void {
    this.#written = seq;
  }

  /** Writes the index from time to time. If that fails, the next start reads more. */
  async keep({ seq, hash }: LedgerHead): Promise<void> {
    if (seq - this.#written < EVERY) return;
    this.#written = seq;
    const text = JSON.stringify({
      head: { seq, hash },
      seqs: this.#changes.map((one) => one.seq),
      digest: digestOf(this.#changes),
    });
    const value = `${await this.#key.tag(TAGGED_AS + text)} ${text}`;
    await this.#records.writeMeta(INDEX, await this.#records.readMeta(INDEX), value);
  }
}

export function digestOf(changes: readonly LedgerHead[]): string {
  return sha256(changes.map(({ hash }) => hash).join(' '));
}
