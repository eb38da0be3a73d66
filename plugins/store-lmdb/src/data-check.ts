import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@svc/sdk';
import { type SeqRange, StoreError } from '@svc/sdk/store';
import { type FoundDamage, inspectInChild, LAST_SEQ } from './inspect/inspect-in-child.ts';
import { isSealed } from './inspect/ledger-entries.ts';

export interface DataCheckSizes {
  /** The largest file that is inspected before it is opened, in bytes. */
  readonly before: number;
  /** For a tool that reports damage: reads everything that can be read. */
  readonly reads_altered?: true;
}

export const SERVING: DataCheckSizes = { before: 64 * 2 ** 20 };
/** For a tool, which can wait for the inspection. */
export const WHOLE_FIRST: DataCheckSizes = {
  before: Number.POSITIVE_INFINITY,
  reads_altered: true,
};

/**
 * Decides whether the data of a folder may be read. A damaged page may crash the process that reads it through LMDB, so a child process reads
 * everything first. It inspects a large file in the background; until it is done, nothing old is read.
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
  readonly #bytes: number;
  readonly #sizes: DataCheckSizes;

  constructor(folder: string, logger: Logger, sizes: DataCheckSizes) {
    this.#folder = folder;
    this.#logger = logger;
    this.#sizes = sizes;
    const file = join(folder, 'data.mdb');
    this.#bytes = existsSync(file) ? statSync(file).size : 0;
  }

  /** Whether the data is inspected while the folder is in use. */
  get is_in_background(): boolean {
    return this.#bytes > this.#sizes.before;
  }

  /** Call this before the folder is opened. @throws {StoreError} `DAMAGED` if it must not be opened */
  async before(): Promise<void> {
    if (this.#bytes === 0) return;
    this.#take(await inspectInChild(this.#folder, this.is_in_background ? 'edges' : 'all', this.#ending.signal));
    this.assertUsable();
  }

  inBackground(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#readable = promise;
    this.#done = inspectInChild(this.#folder, 'readable first', this.#ending.signal, resolve)
      .then(
        (damage) => this.#take(damage),
        (error: StoreError) => {
          this.#unusable = error;
          if (!this.#ending.signal.aborted)
            this.#logger.error({ event: 'store_check_failed', code: error.code, remedy: error.message });
        },
      )
      .finally(resolve);
  }

  /** Resolves when the unreadable parts are known. From then on, reading through LMDB cannot crash the process. */
  get readable(): Promise<void> {
    return this.#readable;
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#done;
  }

  /** @throws {StoreError} `DAMAGED` if one of these records is damaged */
  assertWhole(from: number, through: number): void {
    const damaged = this.#damaged_seqs;
    if (damaged === null || through < damaged.from || from > damaged.through) return;
    throw this.#damagedRecords(damaged);
  }

  /** @throws {StoreError} `DAMAGED` if this record differs from what was sealed */
  assertSealed(seq: number, record: { readonly bytes: string; readonly hash: string }): void {
    if (isSealed(record)) return;
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

  /** Call this when everything was read. @throws {StoreError} `DAMAGED` if something differs from what was written */
  assertUnaltered(): void {
    if (this.#altered !== null) throw this.#altered;
  }

  #take(damage: FoundDamage | null): void {
    if (damage === null) return;
    const { databases, unreadable, seqs } = damage;
    const range = { from_seq: seqs?.from ?? null, through_seq: seqs?.through ?? null };
    this.#logger.error({ event: 'store_damaged', databases, unreadable, ...range });
    // Existing records never change, so work can continue despite damaged ones. The exception is the last record, which every commit reads. If the
    // damaged records are unknown, the last one may be among them.
    const isLast = seqs === null ? unreadable.length > 0 : seqs.through === LAST_SEQ;
    const isHistory = unreadable.every((name) => name === 'ledger') && !isLast;
    if (this.#sizes.reads_altered === true && unreadable.length === 0) this.#altered = damagedError(this.#folder, damage);
    else if (isHistory && this.#sizes.reads_altered !== true) this.#damaged_seqs = seqs;
    else this.#unusable = damagedError(this.#folder, damage);
  }
}

function damagedError(folder: string, { databases, seqs, is_short }: FoundDamage): StoreError {
  const cut = is_short ? ', its file is truncated' : '';
  const from = seqs === null ? '' : `, its ledger is broken at seq ${seqs.from}`;
  return new StoreError(
    'DAMAGED',
    `${folder} is damaged (${databases.join(', ')}${cut}${from}): keep it, restore a backup, and examine the damaged folder with svc ledger verify`,
    seqs === null ? {} : { damaged_seqs: seqs },
  );
}
