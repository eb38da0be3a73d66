import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, type SeqRange, StoreError } from '@svc/sdk';
import { type Damage, inspect, inspectRoots } from './inspect/inspect.ts';
import { inspectInChild } from './inspect/inspect-in-child.ts';
import { isSealed, LAST_SEQ } from './inspect/ledger-entries.ts';

/** Up to how many bytes a file is looked at in this process, and up to how many before it is opened. */
export interface DataCheckSizes {
  readonly here: number;
  readonly before: number;
  /** For a tool that tells what is wrong: whatever can be read is read. */
  readonly reads_altered?: true;
}

export const SERVING: DataCheckSizes = { here: 4 * 2 ** 20, before: 64 * 2 ** 20 };
/** For a tool, which has nothing else to do. */
export const WHOLE_FIRST: DataCheckSizes = {
  here: Number.POSITIVE_INFINITY,
  before: Number.POSITIVE_INFINITY,
  reads_altered: true,
};

/**
 * Whether what lies in a folder may be read: a damaged page ends the process that reads it through LMDB, so all of it is looked at before.
 * A large file is looked at in the background, its pages first: once they are known to be whole it is read, each record held to its hash until all of
 * them were.
 */
export class DataCheck {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #ending = new AbortController();
  #damaged_seqs: SeqRange | null = null;
  #unusable: StoreError | null = null;
  #altered: StoreError | null = null;
  #done: Promise<void> = Promise.resolve();
  #readable: Promise<void> = Promise.resolve();
  #isUnderWay = false;
  readonly #bytes: number;
  readonly #sizes: DataCheckSizes;

  constructor(folder: string, logger: Logger, sizes: DataCheckSizes) {
    this.#folder = folder;
    this.#logger = logger;
    this.#sizes = sizes;
    const file = join(folder, 'data.mdb');
    this.#bytes = existsSync(file) ? statSync(file).size : 0;
  }

  /** Whether it is looked at while the folder is in use. */
  get is_in_background(): boolean {
    return this.#bytes > this.#sizes.before;
  }

  /** Before the folder is opened. @throws {StoreError} `DAMAGED` where it is not to be */
  async before(): Promise<void> {
    if (this.#bytes === 0) return;
    if (this.is_in_background) this.#take(inspectRoots(this.#folder));
    else if (this.#bytes <= this.#sizes.here) this.#take(inspect(this.#folder));
    else this.#take(await inspectInChild(this.#folder, this.#ending.signal));
    this.assertUsable();
  }

  /** @param unpin lets go of what keeps the pages of this moment from being written to */
  inBackground(unpin: () => void): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#readable = promise;
    this.#isUnderWay = true;
    this.#done = inspectInChild(this.#folder, this.#ending.signal, resolve)
      .then(
        (damage) => this.#take(damage),
        (error: StoreError) => {
          this.#unusable = error;
          if (!this.#ending.signal.aborted) this.#logger.error({ event: 'store_check_failed', code: error.code });
        },
      )
      .finally(() => {
        this.#isUnderWay = false;
        unpin();
        resolve();
      });
  }

  /** Resolves once nothing that LMDB reads can end the process; what may not be read is known then. */
  get readable(): Promise<void> {
    return this.#readable;
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#done;
  }

  /** @throws {StoreError} `DAMAGED` where one of these records is */
  assertWhole(from: number, through: number): void {
    const damaged = this.#damaged_seqs;
    if (damaged === null || through < damaged.from || from > damaged.through) return;
    throw this.#damagedRecords(damaged);
  }

  /** Until all records were looked at. @throws {StoreError} `DAMAGED` where this one is not what was sealed */
  assertSealed(seq: number, { bytes, hash }: { readonly bytes: string; readonly hash: string }): void {
    if (!this.#isUnderWay || isSealed(bytes, hash)) return;
    throw this.#damagedRecords({ from: seq, through: seq });
  }

  #damagedRecords(damaged_seqs: SeqRange): StoreError {
    const { from, through } = damaged_seqs;
    return new StoreError('DAMAGED', `records ${from} to ${through} of ${this.#folder} are damaged`, { damaged_seqs });
  }

  /** @throws {StoreError} `DAMAGED` */
  assertUsable(): void {
    if (this.#unusable !== null) throw this.#unusable;
  }

  /** Once all of it was read. @throws {StoreError} `DAMAGED` where something of it is not what was written */
  assertUnaltered(): void {
    if (this.#altered !== null) throw this.#altered;
  }

  #take(damage: Damage | null): void {
    if (damage === null) return;
    const { databases, unreadable, seqs } = damage;
    const range = { from_seq: seqs?.from ?? null, through_seq: seqs?.through ?? null };
    this.#logger.error({ event: 'store_damaged', databases, unreadable, ...range });
    // Nothing is written to records that are there: beside those that are damaged everything else goes on, but for the last, which every
    // commit reads. Where it is not known which are damaged, it may be that.
    const isLast = seqs === null ? unreadable.length > 0 : seqs.through === LAST_SEQ;
    const isHistory = unreadable.every((name) => name === 'ledger') && !isLast;
    if (this.#sizes.reads_altered === true && unreadable.length === 0) this.#altered = damagedError(this.#folder, damage);
    else if (isHistory && this.#sizes.reads_altered !== true) this.#damaged_seqs = seqs;
    else this.#unusable = damagedError(this.#folder, damage);
  }
}

function damagedError(folder: string, { databases, seqs, is_short }: Damage): StoreError {
  const cut = is_short ? ', its file ends too early' : '';
  const from = seqs === null ? '' : `, its ledger broken at seq ${seqs.from}`;
  return new StoreError(
    'DAMAGED',
    `${folder} is damaged (${databases.join(', ')}${cut}${from}): keep it, bring back a backup, and look at it with svc ledger verify`,
    seqs === null ? {} : { damaged_seqs: seqs },
  );
}
