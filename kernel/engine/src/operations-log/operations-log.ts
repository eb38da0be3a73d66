import { type Clock, GENESIS, type LedgerHead, type NewOperation, type Operation, type Store } from '@svc/contracts';
import { prepareRecord, readOperation, rehash } from '@svc/ledger';
import type { ContentKeys } from '../content/key-tree.ts';
import { OperationsKey } from './operations-key.ts';
import { altered, OperationRecords } from './records.ts';

/** Records read in one step. */
const PAGE = 512;

/**
 * What a record changes, applied in this process. Must not throw. Returns false for one that is its affair, but that it does not understand
 * since a newer release wrote it.
 */
export type ApplyOperation = (operation: Operation) => unknown;

interface OperationsLogParts {
  readonly store: Pick<Store, 'readMeta' | 'writeMeta'>;
  readonly content_keys: ContentKeys;
  readonly clock: Clock;
  readonly apply: readonly ApplyOperation[];
}

/**
 * Every change of what the gateway does while it runs, as a hash chain beside the ledger. The log is where a change is kept, too: each process
 * applies the records in order, at its start from the first, so what is in force is what is on record.
 */
export class OperationsLog {
  readonly records: OperationRecords;
  readonly #parts: OperationsLogParts;
  readonly #key: OperationsKey;
  #head = { seq: 0, hash: GENESIS };
  /** One thing at a time: records are applied once, in order. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: OperationsLogParts) {
    this.#parts = parts;
    this.#key = new OperationsKey(parts.store, parts.content_keys);
    this.records = new OperationRecords(parts.store, this.#key);
  }

  /** Applies what was added since, by whichever process. @throws {SvcError} SVC-STORE-001 for a log that was altered */
  catchUp(): Promise<void> {
    return this.#alone(() => this.#catchUp());
  }

  /** Of the last record; null while there is none. */
  async head(): Promise<LedgerHead | null> {
    await this.catchUp();
    return this.#head.seq === 0 ? null : this.#head;
  }

  /**
   * Adds a record, durably, and applies it.
   * @param make is called with everything before it applied; what it throws refuses the change. Called again where another process was faster
   * @throws {SvcError} SVC-STORE-001 for a log that was altered
   */
  append(make: () => NewOperation | Promise<NewOperation>): Promise<Operation> {
    return this.#alone(async () => {
      for (;;) {
        await this.#catchUp();
        const seq = this.#head.seq + 1;
        const at = new Date(this.#parts.clock.now()).toISOString();
        const { bytes } = prepareRecord({ ...(await make()), record_type: 'operation', at })(seq, this.#head.hash);
        const fault = readOperation(Buffer.from(bytes), this.#head);
        if (typeof fault === 'string') throw new TypeError(`an operation that no verifier takes: ${fault}`);
        if (!(await this.records.add({ seq, bytes }))) continue;
        await this.#catchUp();
        return JSON.parse(bytes) as Operation;
      }
    });
  }

  /** Wraps the key of the log by the newest content key. @returns false where it is to be tried again */
  rewrapKey(): Promise<boolean> {
    return this.#key.rewrap();
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const page = await this.records.records({ since_seq: this.#head.seq, limit: PAGE });
      for (const { seq, bytes } of page) {
        const place = rehash(bytes, seq, this.#head.hash);
        if (place === null) throw altered(seq);
        const operation = JSON.parse(bytes) as Operation;
        for (const apply of this.#parts.apply) apply(operation);
        this.#head = place;
      }
      if (page.length < PAGE) return;
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
