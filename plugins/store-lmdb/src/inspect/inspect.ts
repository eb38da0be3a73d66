import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Database, RootDatabase } from 'lmdb';
import { toBufferKey } from 'ordered-binary';
import { checkDataFile } from '../files/data-file.ts';
import { openToRead } from '../tables/backup.ts';
import { decodeEntry } from '../tables/ledger.ts';
import { allCounts, type RunCounts } from '../tables/run-counts.ts';
import { SCHEMA, SCHEMA_KEY } from '../tables/schema.ts';
import type { Said } from './inspect-in-child.ts';
import { KeySet } from './key-set.ts';
import { isSealed, LedgerEntries } from './ledger-entries.ts';
import { RunEntries } from './run-entries.ts';

type Say = (said: Said) => void;
type Visit = (key: Buffer, value: Buffer) => void;

/** After this many entries, the child reports its position. This also shows the child whether anyone still listens. */
const SAY_EVERY = 1000;
const COUNTS_KEY = toBufferKey(['counts']);
const OF_EACH_SCHEMA = ['state', 'runs', 'run-index', 'content', 'ledger-index', 'ledger'] as const;
type Name = (typeof OF_EACH_SCHEMA)[number] | 'started-runs';

/**
 * Reads one snapshot of a folder through LMDB: use it within one turn of the event loop. A damaged page may crash this process, so each database is
 * reported before it is read. Even if an error is thrown instead, LMDB may have overwritten memory of this process: do not catch it.
 */
class Scan {
  readonly schema: number;
  readonly #databases = new Map<Name, Database<Buffer, Buffer>>();
  readonly #say: Say;

  constructor(folder: string, without: readonly string[], say: Say) {
    this.#say = say;
    checkDataFile(folder);
    const env = openToRead(folder);
    say({ is_short: isShort(env, folder), at: 'main' });
    this.schema = Number(env.get(SCHEMA_KEY));
    for (const name of [...OF_EACH_SCHEMA, 'started-runs'] as const) {
      // According to LMDB's declarations there always is one, but a folder that is opened for reading may lack it.
      const db: Database<Buffer, Buffer> | undefined = env.openDB(name, { encoding: 'binary', keyEncoding: 'binary' });
      if (db !== undefined) this.#databases.set(name, db);
    }
    const isUsed = [...this.#databases.values()].some((db) => entriesIn(db) > 0);
    const isComplete = OF_EACH_SCHEMA.every((name) => this.#databases.has(name));
    // The number is in LMDB's meta page. A damaged list of databases may look like an empty one.
    if ((isUsed && !isComplete) || [...env.getKeys()].length !== entriesIn(env)) throw new Error('databases are missing');
    for (const name of without) this.#databases.delete(name as Name);
  }

  /** Visits every entry of each database. @throws {Error} if one cannot be read */
  walk(visitOf: (name: Name) => Visit): void {
    for (const [name, db] of this.#databases) {
      this.#say({ at: name });
      const visit = visitOf(name);
      let met = 0;
      let last = Buffer.alloc(0);
      for (const { key, value } of db.getRange()) {
        // This is an older version of a page, or a page of another database. Following it could lead back to the same place forever.
        if (met > 0 && Buffer.compare(last, key) >= 0) throw new Error('keys are not in order');
        last = Buffer.from(key);
        met += 1;
        visit(last, value);
        if (met % SAY_EVERY === 0) this.#say({ at: name });
      }
      if (met !== entriesIn(db)) throw new Error('entries are missing');
    }
  }

  /** Reads the first and the last entry of each database. @throws {Error} if one cannot be read */
  edges(): void {
    for (const [name, db] of this.#databases) {
      this.#say({ at: name });
      const ends = [false, true].flatMap((reverse) => [...db.getRange({ reverse, limit: 1 })]);
      if (ends.length !== 2 * Math.min(1, entriesIn(db))) throw new Error('entries are missing');
    }
  }
}

/** Reads only the ends of each database, where records are added. Opening a folder reads no more than that. Fast. */
export function inspectEdges(folder: string, without: readonly string[], say: Say): void {
  new Scan(folder, without, say).edges();
  say({ altered: { databases: [], seqs: null } });
}

/**
 * Reads everything but the databases in `without`. Finds every record that differs from what was sealed, every invalid row, and indexes and counts
 * that do not match rows and records. Content is encrypted, so it is only read.
 * @throws {Error} at a database that LMDB cannot read in order
 */
export function inspectAll(folder: string, without: readonly string[], say: Say, isReadableFirst: boolean): void {
  const scan = new Scan(folder, without, say);
  if (isReadableFirst && without.length === 0) {
    scan.walk(() => () => undefined);
    say({ readable: true });
  }
  const [ledger, runs] = [new LedgerEntries(), new RunEntries()];
  const [ledgerIndex, runIndex] = [new KeySet(), new KeySet()];
  let counts: RunCounts = {};
  const visits: Readonly<Record<Name, Visit>> = {
    state: (key, value) => {
      if (key.equals(COUNTS_KEY)) counts = countsIn(value);
    },
    runs: (key, value) => runs.entry(key, value),
    'started-runs': (key, value) => runs.started(key, value),
    'run-index': (key) => runIndex.add(key),
    content: () => undefined,
    'ledger-index': (key) => ledgerIndex.add(key),
    ledger: (key, value) => ledger.entry(key, value),
  };
  scan.walk((name) => visits[name]);
  const databases: Name[] = [];
  const isRead = (...names: Name[]): boolean => names.every((name) => !without.includes(name));
  if (ledger.damage !== null) databases.push('ledger');
  else if (isRead('ledger', 'ledger-index') && !ledger.index.equals(ledgerIndex)) databases.push('ledger-index');
  if (runs.is_damaged) databases.push('runs');
  // The indexes and counts of older schemas are unknown here.
  else if (scan.schema === SCHEMA && isRead('runs')) {
    if (isRead('run-index') && !runs.index.equals(runIndex)) databases.push('run-index');
    if (isRead('started-runs', 'state') && !isSame(counts, runs.counts)) databases.push('state');
  }
  say({ altered: { databases, seqs: ledger.damage } });
}

/** Reports each intact record, from one end of the ledger to the first record that is not as it was sealed. */
export function verifyRecords(folder: string, say: Say, step: 1 | -1): void {
  const ledger = openToRead(folder).openDB<string, number>('ledger', { encoding: 'string' });
  const [last = 0] = step === 1 ? [] : [...ledger.getKeys({ reverse: true, limit: 1 })];
  for (let seq = step === 1 ? 1 : last; ; seq += step) {
    const value = ledger.get(seq);
    if (value === undefined || !isSealed(decodeEntry(value))) return;
    say({ seq });
  }
}

/** Without reading its entries. */
function entriesIn(db: Pick<Database, 'getStats'>): number {
  // The declarations of lmdb lack the field.
  return (db.getStats() as { readonly entryCount: number }).entryCount;
}

/** Whether the file is too short. LMDB may leave out unused pages at the end. */
function isShort(env: RootDatabase<string, string>, folder: string): boolean {
  const { lastPageNumber, pageSize } = env.getStats() as { readonly lastPageNumber: number; readonly pageSize: number };
  return statSync(join(folder, 'data.mdb')).size < (lastPageNumber + 1) * pageSize;
}

function countsIn(value: Buffer): RunCounts {
  try {
    return JSON.parse(value.toString()) ?? {};
  } catch {
    return {};
  }
}

function isSame(a: RunCounts, b: RunCounts): boolean {
  return isDeepStrictEqual(allCounts(a), allCounts(b));
}
