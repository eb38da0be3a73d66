import { constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginDeps } from '@svc/sdk';
import {
  type CommitOutcome,
  type CounterHold,
  type Counters,
  type DumpItem,
  type Lease,
  type LedgerHead,
  type LedgerQuery,
  type ReserveOutcome,
  type RunChange,
  type RunPage,
  type RunQuery,
  type RunRow,
  type RunStatus,
  type SessionHead,
  type Store,
  type StoreAccess,
  type StoredRecord,
  StoreError,
  type StoreTotals,
  type UnplacedRecord,
} from '@svc/sdk/store';
import { takeFolder, takeToRead } from '@svc/toolkit/folder-lock';
import { checkStoreName, isStoreName, makeFolder, prepareChange, reserve, usedOf } from '@svc/toolkit/store';
import { Commits, countRuns, type Recent, readRecent, rowOf, sessionHeadOf } from './commits.ts';
import { dropAllContent, dropExpired, readContent, runsWithContent } from './content.ts';
import { counterBook, prune } from './counters.ts';
import { DataCheck, type DataCheckSizes, SERVING, WHOLE_FIRST } from './data-check.ts';
import { dumpItems, totalsIn } from './dump.ts';
import { checkDataFile } from './files/data-file.ts';
import { defaultReserve, FreeSpace } from './files/free-space.ts';
import { HeldFile } from './files/held-file.ts';
import { isDamage } from './files/lmdb-damage.ts';
import { systemCode } from './files/system-code.ts';
import { acquireLease, forgetLeases, leaseHolder, moveCursor, readCursor, releaseAllLeases, releaseLease } from './leases.ts';
import { queryRecords, recordsBySeq } from './ledger-query.ts';
import { loadItems } from './load.ts';
import { Log } from './log/log.ts';
import { Preallocation } from './preallocation.ts';
import { queryRuns } from './run-query.ts';
import { backUp } from './tables/backup.ts';
import { type Databases, openDatabases, openDatabasesToRead } from './tables/databases.ts';
import { SMALL, Writer } from './writer.ts';

/** About as much as a group of runs writes. */
const TRIAL_BYTES = 128 * 1024;
const TRIAL = ['trial'];

interface Opened {
  readonly check: DataCheck;
  readonly dbs: Databases;
  readonly recent: Recent;
  readonly writer: Writer;
  /** Null if it is opened for reading. */
  readonly commits: Commits | null;
  readonly files: readonly HeldFile[];
  readonly release: () => void;
}

function cannotOpen(folder: string, error: unknown): unknown {
  const code = systemCode(error);
  if (isDamage(error)) return new StoreError('DAMAGED', `${folder} is damaged: restore a backup`, { cause: error });
  return code === null
    ? error
    : new StoreError('OPEN', `${folder} cannot be used (${code}): it must be a folder that this user can write to`, {
        cause: error,
      });
}

/** The store contract on one LMDB folder, which it holds exclusively. */
export class LmdbStore implements Store {
  readonly exclusive = true;
  readonly #folder: string;
  readonly #min_free_bytes: number | null;
  readonly #deps: Pick<PluginDeps, 'clock' | 'logger'>;
  readonly #busy = new Set<Promise<void>>();
  readonly #sizes: DataCheckSizes;
  #opened: Opened | null = null;

  constructor(
    folder: string,
    min_free_bytes: number | null,
    deps: Pick<PluginDeps, 'clock' | 'logger'>,
    sizes: DataCheckSizes = SERVING,
  ) {
    this.#folder = folder;
    this.#min_free_bytes = min_free_bytes;
    this.#deps = deps;
    this.#sizes = sizes;
  }

  async open(access: StoreAccess = 'serve'): Promise<void> {
    if (this.#opened !== null) throw new StoreError('OPEN', `${this.#folder} is already open`);
    if (access !== 'serve' && !existsSync(join(this.#folder, 'data.mdb')))
      throw new StoreError('OPEN', `${this.#folder} is not a runs-db; nothing was created`);
    let release = () => {};
    let dbs: Databases | null = null;
    const files: HeldFile[] = [];
    try {
      if (access === 'serve') makeFolder(this.#folder);
      release = access === 'read' ? takeToRead(this.#folder) : takeFolder(this.#folder);
      const check = new DataCheck(this.#folder, this.#deps.logger, access === 'serve' ? this.#sizes : WHOLE_FIRST);
      checkDataFile(this.#folder, access === 'read' ? 'DAMAGED' : 'OPEN');
      await check.before();
      const reserve = this.#min_free_bytes ?? defaultReserve(this.#folder);
      const space = new FreeSpace(this.#folder, reserve, this.#deps.clock);
      if (access !== 'read') space.take(SMALL);
      dbs = access === 'read' ? await openDatabasesToRead(this.#folder) : await openDatabases(this.#folder, this.#deps.logger);
      const { env, state } = dbs;
      if (check.is_in_background) check.inBackground();
      // In append mode, so that no write can overwrite a page of LMDB.
      const flags = access === 'read' ? constants.O_RDONLY : constants.O_WRONLY | constants.O_APPEND;
      const file = new HeldFile(join(this.#folder, 'data.mdb'), flags);
      files.push(file);
      const preallocation = new Preallocation(file, env, reserve);
      const writer = new Writer({ env, space, files, preallocation, folder: this.#folder, logger: this.#deps.logger });
      // Also puts this process on LMDB's list of readers, where openDatabases in other processes finds it.
      const { recent, generation } = readRecent(dbs, this.#folder);
      let commits: Commits | null = null;
      if (access !== 'read') {
        const log = await Log.open(this.#folder, generation, reserve, space);
        files.push(log.file);
        commits = new Commits(dbs, writer, log, recent, this.#deps.clock);
        await commits.settle(true);
        await writer.write(SMALL, () => releaseAllLeases(state));
      }
      this.#opened = { check, dbs, recent, writer, commits, files, release };
    } catch (error) {
      await dbs?.env.close();
      for (const file of files) file.close();
      release();
      throw cannotOpen(this.#folder, error);
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    if (opened === null) return;
    this.#opened = null;
    await Promise.all(this.#busy);
    await opened.commits?.close();
    await opened.check.end();
    await opened.dbs.env.close();
    for (const file of opened.files) file.close();
    opened.release();
  }

  /** The open database, which `close` keeps open until the promise is settled. */
  #held(until: Promise<void>): Opened {
    const opened = this.#opened;
    if (opened === null) throw new StoreError('CLOSED', `${this.#folder} is not open`);
    opened.check.assertUsable();
    this.#busy.add(until);
    return opened;
  }

  async #use<T>(action: (opened: Opened) => T | Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const opened = this.#held(promise);
    try {
      return await action(opened);
    } catch (error) {
      throw isDamage(error) ? new StoreError('DAMAGED', `${this.#folder} is damaged: restore a backup`, { cause: error }) : error;
    } finally {
      this.#busy.delete(promise);
      resolve();
    }
  }

  #read<T>(action: (dbs: Databases, recent: Recent, check: DataCheck) => T | Promise<T>): Promise<T> {
    return this.#use(({ dbs, recent, writer, check }) => {
      // Data in a removed file would be lost at the next restart.
      writer.assertInPlace();
      return action(dbs, recent, check);
    });
  }

  #write<T>(bytes: number, action: (dbs: Databases, now: number) => T): Promise<T> {
    const now = this.#deps.clock.now();
    return this.#use(({ dbs, writer }) => writer.write(bytes, () => action(dbs, now)));
  }

  async commit(changes: readonly RunChange[], records: readonly UnplacedRecord[]): Promise<readonly CommitOutcome[]> {
    const prepared = changes.map(prepareChange);
    const { outcomes, group } = await this.#use(({ commits }) => this.#writing(commits).commit(prepared, records));
    if (changes.length === 0 && group.records.length === 0) await this.#tryDisk();
    return outcomes;
  }

  #writing(commits: Commits | null): Commits {
    if (commits === null) throw new StoreError('STOPPED', `${this.#folder} was opened read-only`);
    return commits;
  }

  /** Changes something, since a transaction without changes writes nothing and succeeds on any disk. */
  async #tryDisk(): Promise<void> {
    await this.#use(({ commits }) => this.#writing(commits).tryLog());
    await this.#write(TRIAL_BYTES, ({ state }) => state.putSync(TRIAL, 'x'.repeat(TRIAL_BYTES)));
    await this.#write(SMALL, ({ state }) => state.removeSync(TRIAL));
  }

  async run(run_id: string): Promise<RunRow | null> {
    return this.#read((dbs, recent) => (isStoreName(run_id) ? rowOf(dbs, recent, run_id) : null));
  }

  async statuses(run_ids: readonly string[]): Promise<ReadonlyMap<string, RunStatus>> {
    return this.#read((dbs, recent) => {
      const rows = run_ids.filter(isStoreName).map((run_id) => rowOf(dbs, recent, run_id));
      return new Map(rows.flatMap((row) => (row === null ? [] : [[row.run_id, row.status]])));
    });
  }

  async runs(query: RunQuery): Promise<RunPage> {
    return this.#read((dbs, recent) => queryRuns(dbs, recent, query));
  }

  async runOfKey(unique_key: string): Promise<string | null> {
    return this.#read((dbs) => dbs.state.get(['unique', unique_key]) ?? null);
  }

  async countRuns(): Promise<Record<RunStatus, number>> {
    return this.#read((dbs, recent) => countRuns(dbs, recent));
  }

  async content(run_id: string, name: string): Promise<Uint8Array | null> {
    const now = this.#deps.clock.now();
    return this.#read((dbs) => (isStoreName(run_id) && isStoreName(name) ? readContent(dbs, run_id, name, now) : null));
  }

  async eraseContent(run_id: string): Promise<number> {
    if (!isStoreName(run_id)) return 0;
    return this.#write(SMALL, (dbs) => dropAllContent(dbs, run_id));
  }

  async runsWithContent(after: string, limit: number): Promise<readonly string[]> {
    return this.#read((dbs) => runsWithContent(dbs, after, limit));
  }

  async expireContent(now: number, limit: number): Promise<number> {
    return this.#write(SMALL, (dbs) => dropExpired(dbs, now, limit));
  }

  async head(): Promise<LedgerHead | null> {
    return this.#read((_dbs, recent) => recent.head);
  }

  async sessionHead(key: string): Promise<SessionHead | null> {
    return this.#read((dbs, recent) => (isStoreName(key) ? sessionHeadOf(dbs, recent, key) : null));
  }

  async records(query: LedgerQuery): Promise<readonly StoredRecord[]> {
    return this.#read((dbs, recent, check) => queryRecords(dbs, recent, query, check));
  }

  async recordsBySeq(seqs: readonly number[]): Promise<readonly StoredRecord[]> {
    return this.#read((dbs, recent, check) => recordsBySeq(dbs, recent, seqs, check));
  }

  readonly counters: Counters = {
    reserve: async (id: string, holds: readonly CounterHold[]): Promise<ReserveOutcome> => {
      checkStoreName('reservation', id);
      for (const { key } of holds) checkStoreName('counter', key);
      return this.#write(SMALL, ({ state }, now) => {
        prune(state, now);
        return reserve(counterBook(state), now, id, holds);
      });
    },
    read: (keys: readonly string[]): Promise<number[]> =>
      this.#read(({ state }) => {
        const now = this.#deps.clock.now();
        return keys.map((key) => (isStoreName(key) ? usedOf(counterBook(state), now, key) : 0));
      }),
  };

  async acquireLease(name: string, holder: string, ttl_ms: number): Promise<Lease | null> {
    checkStoreName('lease', name);
    return this.#write(SMALL, ({ state }, now) => acquireLease(state, now, name, holder, ttl_ms));
  }

  async releaseLease(lease: Lease): Promise<void> {
    return this.#write(SMALL, ({ state }) => releaseLease(state, lease));
  }

  async leaseHolder(name: string): Promise<string | null> {
    return this.#read(({ state }) => leaseHolder(state, this.#deps.clock.now(), name));
  }

  async forgetLeases(prefix: string, lapsed_ms: number): Promise<number> {
    return this.#write(SMALL, ({ state }, now) => forgetLeases(state, now - lapsed_ms, prefix));
  }

  async now(): Promise<number> {
    return this.#deps.clock.now();
  }

  async cursor(name: string): Promise<number> {
    return this.#read(({ state }) => readCursor(state, name));
  }

  async moveCursor(name: string, seq: number, lease: Lease): Promise<boolean> {
    checkStoreName('cursor', name);
    return this.#write(SMALL, ({ state }) => moveCursor(state, name, seq, lease));
  }

  async readMeta(key: string): Promise<string | null> {
    return this.#read(({ state }) => state.get(['meta', key]) ?? null);
  }

  async writeMeta(key: string, expected: string | null, value: string): Promise<boolean> {
    checkStoreName('meta', key);
    return this.#write(SMALL, ({ state }) => {
      if ((state.get(['meta', key]) ?? null) !== expected) return false;
      state.putSync(['meta', key], value);
      return true;
    });
  }

  async whenChecked(): Promise<void> {
    await this.#opened?.check.readable;
  }

  async backup(folder: string, progress: (bytes: number, of: number) => void): Promise<void> {
    await backUp(this.#folder, folder, progress);
  }

  async *dump(totals?: (kept: StoreTotals) => void): AsyncGenerator<DumpItem> {
    // The store stays open until the last item was read.
    const { promise, resolve } = Promise.withResolvers<void>();
    const opened = this.#held(promise);
    const transaction = opened.dbs.env.useReadTransaction();
    const recent = opened.recent.copy();
    try {
      opened.check.assertWhole(1, Number.POSITIVE_INFINITY);
      totals?.(totalsIn(opened.dbs, recent, transaction));
      yield* dumpItems(opened.dbs, recent, transaction);
      opened.check.assertUnaltered();
    } finally {
      transaction.done();
      this.#busy.delete(promise);
      resolve();
    }
  }

  async load(items: AsyncIterable<DumpItem>): Promise<void> {
    return this.#use(async ({ dbs, commits }) => {
      const writing = this.#writing(commits);
      await writing.settle(true);
      // Commits that happen meanwhile come before the loaded items.
      const write = <T>(bytes: number, action: () => T): Promise<T> => writing.put(bytes, action);
      await loadItems(dbs, write, this.#folder, items).finally(() => writing.reload());
    });
  }
}
