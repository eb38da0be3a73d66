import {
  type Clock,
  errorName,
  GENESIS,
  type LedgerHead,
  type Logger,
  type NewOperation,
  type Operation,
  type Store,
} from '@svc/contracts';
import { placeRecord, prepareRecord, readOperation, rehash } from '@svc/ledger';
import type { ContentKeys } from '../../content/key-tree.ts';
import { ChangeIndex, digestOf } from './change-index.ts';
import { type Lane, Lanes } from './lanes.ts';
import { OperationsKey } from './operations-key.ts';
import { altered, OperationRecords } from './records.ts';

/** Number of records read in one step. */
const PAGE = 512;

/**
 * Applies a record's change in this process. Must not throw. Returns false for a change that concerns this process but that only a newer release can
 * apply.
 */
export type ApplyOperation = (operation: Operation) => unknown;

interface OperationsLogParts {
  readonly store: Pick<Store, 'readMeta' | 'writeMeta'>;
  readonly content_keys: ContentKeys;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly apply: readonly ApplyOperation[];
}

/**
 * Every change made to the running gateway, as a hash chain beside the ledger. The changes are stored nowhere else: each process applies all records
 * in order when it starts, so the active state is always the recorded one.
 */
export class OperationsLog {
  readonly records: OperationRecords;
  readonly #parts: OperationsLogParts;
  readonly #key: OperationsKey;
  readonly #changes: ChangeIndex;
  #head: LedgerHead = { seq: 0, hash: GENESIS };
  /** Records are applied one after another, so that each is applied once and in order. */
  readonly #lanes = new Lanes();

  constructor(parts: OperationsLogParts) {
    this.#parts = parts;
    this.#key = new OperationsKey(parts.store, parts.content_keys);
    this.records = new OperationRecords(parts.store, this.#key);
    this.#changes = new ChangeIndex(this.records, this.#key);
  }

  /** Applies records that any process has added since. @throws {SvcError} SVC-STORE-001 if the log was altered */
  catchUp(): Promise<void> {
    return this.#lanes.take('first', () => this.#catchUp());
  }

  /** The last record, or null. */
  async head(): Promise<LedgerHead | null> {
    await this.catchUp();
    return this.#head.seq === 0 ? null : this.#head;
  }

  /**
   * Adds a record durably and applies it.
   * @param make called after all earlier records were applied; if it throws, the change is refused. It is called again if another process was faster
   * @param lane `behind` for changes that any caller can request, such as an erasure, so that they never delay a revocation or a stop
   * @throws {SvcError} SVC-STORE-001 if the log was altered
   */
  append(make: () => NewOperation | Promise<NewOperation>, lane: Lane = 'first'): Promise<Operation> {
    return this.#lanes.take(lane, async () => {
      for (;;) {
        await this.#catchUp();
        const seq = this.#head.seq + 1;
        const at = new Date(this.#parts.clock.now()).toISOString();
        const record = prepareRecord({ ...(await make()), record_type: 'operation', at });
        const { bytes } = placeRecord(record, seq, this.#head.hash);
        const fault = readOperation(Buffer.from(bytes), this.#head);
        if (typeof fault === 'string') throw new TypeError(`this operation would not pass verification: ${fault}`);
        if (!(await this.records.add({ seq, bytes }))) continue;
        await this.#catchUp(seq);
        return JSON.parse(bytes) as Operation;
      }
    });
  }

  /** If the content key has changed, new records are tagged with a new key from now on. */
  renewKey(): Promise<void> {
    return this.#key.renew();
  }

  /**
   * Renews the key, and removes the previous key when there is a record that the new key tags.
   * @param heard resolves when other processes had time to read up to that record, from which they learn the new key
   * @returns false if it must be retried
   */
  async exchangeKey(heard: () => Promise<void>): Promise<boolean> {
    await this.renewKey();
    return this.records.retag((await this.head())?.seq ?? 0, heard);
  }

  /** @param last seq of the last record to apply; an invalid record after it does not matter */
  async #catchUp(last = Number.POSITIVE_INFINITY): Promise<void> {
    if (this.#head.seq === 0) await this.#skipAhead();
    while (this.#head.seq < last) {
      const limit = Math.min(PAGE, last - this.#head.seq);
      const { found, wrong } = await this.records.upToWrong({ since_seq: this.#head.seq, limit });
      for (const { seq, bytes } of found) {
        const place = rehash(bytes, seq, this.#head.hash);
        if (place === null) throw altered(seq);
        this.#apply(JSON.parse(bytes) as Operation);
        this.#head = place;
      }
      if (wrong !== null) throw altered(wrong);
      if (found.length < limit) break;
    }
    await this.#changes.keep(this.#head).catch((error: unknown) => {
      this.#parts.logger.warn({ event: 'change_index_failed', reason: errorName(error) });
    });
  }

  #apply(operation: Operation): void {
    for (const apply of this.#parts.apply) apply(operation);
    this.#changes.add(operation, operation.action);
  }

  /** Applies the records that the index lists as changes. @throws {SvcError} SVC-STORE-001 if they differ from the index */
  async #skipAhead(): Promise<void> {
    const index = await this.#changes.read();
    if (index === null) return;
    const { head, seqs, digest } = index;
    const changes: Operation[] = [];
    for (let at = 0; at < seqs.length; at += PAGE) changes.push(...(await this.#operations(seqs.slice(at, at + PAGE))));
    const [last] = await this.#operations([head.seq]);
    if (last?.hash !== head.hash || digestOf(changes) !== digest) throw altered(head.seq);
    for (const operation of changes) this.#apply(operation);
    this.#changes.startAt(head);
    this.#head = head;
  }

  /** Reads these records. @throws {SvcError} SVC-STORE-001 if one is missing, or no gateway wrote it */
  async #operations(seqs: readonly number[]): Promise<Operation[]> {
    const found = new Map((await this.records.recordsBySeq(seqs)).map(({ seq, bytes }) => [seq, bytes]));
    return seqs.map((seq) => {
      const bytes = found.get(seq);
      const operation = bytes === undefined ? null : (JSON.parse(bytes) as Operation);
      if (bytes === undefined || operation === null || rehash(bytes, seq, operation.prev_hash)?.hash !== operation.hash)
        throw altered(seq);
      return operation;
    });
  }
}
