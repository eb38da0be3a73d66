import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SeqRange } from '@svc/sdk/store';
import type { Database, RootDatabase } from 'lmdb';
import { toBufferKey } from 'ordered-binary';
import { openToRead } from '../tables/backup.ts';
import { decodeEntry } from '../tables/ledger.ts';
import { allCounts, type RunCounts } from '../tables/run-counts.ts';
import { SCHEMA, SCHEMA_KEY } from '../tables/schema.ts';
import type { Said } from './inspect-in-child.ts';
import { KeySet } from './key-set.ts';
import { isSealed, LedgerEntries } from './ledger-entries.ts';
import { RunEntries } from './run-entries.ts';

/** The damage of a folder. */
export interface Damage {
  /** `data.mdb` for the file itself, `main` for LMDB's list of databases, otherwise the name of a database. */
  readonly databases: readonly string[];
  /** Ranges of damaged records, if `databases` has `ledger`; `LAST_SEQ`: up to the end. */
  readonly seqs: SeqRange | null;
  /** Those that LMDB cannot read safely; the others can be read, but differ from what was written. */
  readonly unreadable: readonly string[];
}

type Say = (said: Said) => void;
type Visit = (key: Buffer, value: Buffer) => void;

/** Entries after which it says where it is, and so learns whether anybody still listens. */
const SAY_EVERY = 1000;
const COUNTS_KEY = toBufferKey(['counts']);
const OF_EACH_SCHEMA = ['state', 'runs', 'run-index', 'content', 'ledger-index', 'ledger'] as const;
type Name = (typeof OF_EACH_SCHEMA)[number] | 'started-runs';

/**
 * Reads a folder through LMDB, as it is at one moment: use it in one turn of the event loop. A damaged page may end this process, so what is read
 * next is reported before.
 */
class Scan {
  readonly unreadable = new Set<string>();
  readonly schema: number;
  readonly #databases = new Map<Name, Database<Buffer, Buffer>>();
  readonly #say: Say;

  constructor(folder: string, say: Say) {
    this.#say = say;
    const env = openToRead(folder);
    say({ is_short: isShort(env, folder), at: 'main' });
    this.schema = Number(env.get(SCHEMA_KEY));
    for (const name of [...OF_EACH_SCHEMA, 'started-runs'] as const) {
      // LMDB's declarations say that there is one; a folder that is opened to read may lack it.
      const db: Database<Buffer, Buffer> | undefined = env.openDB(name, { encoding: 'binary', keyEncoding: 'binary' });
      if (db !== undefined) this.#databases.set(name, db);
    }
    const isUsed = [...this.#databases.values()].some((db) => entriesIn(db) > 0);
    const isComplete = OF_EACH_SCHEMA.every((name) => this.#databases.has(name));
    // The number is in LMDB's meta page. A damaged list of databases may look like an empty one.
    if ((isUsed && !isComplete) || keysIn(env) !== entriesIn(env)) this.unreadable.add('main');
  }

  get names(): readonly Name[] {
    return [...this.#databases.keys()];
  }

  walk(name: Name, visit: Visit): void {
    this.#read(name, (db) => {
      let met = 0;
      let last = Buffer.alloc(0);
      for (const { key, value } of db.getRange()) {
        // An older version of a page, or a page of another database. It might lead back to itself for ever.
        if (met > 0 && Buffer.compare(last, key) >= 0) throw new Error('keys are not in order');
        last = Buffer.from(key);
        met += 1;
        visit(last, value);
        if (met % SAY_EVERY === 0) this.#say({ at: name });
      }
      if (met !== entriesIn(db)) throw new Error('entries are missing');
    });
  }

  /** Reads the first and the last entry. */
  edges(name: Name): void {
    this.#read(name, (db) => {
      const ends = [false, true].flatMap((reverse) => [...db.getRange({ reverse, limit: 1 })]);
      if (ends.length !== 2 * Math.min(1, entriesIn(db))) throw new Error('entries are missing');
    });
  }

  #read(name: Name, read: (db: Database<Buffer, Buffer>) => void): void {
    const db = this.#databases.get(name);
    if (db === undefined) return;
    this.#say({ at: name });
    try {
      read(db);
    } catch {
      this.unreadable.add(name);
    }
  }
}

/** Reads only what is read when a folder is opened, which is fast: the ends of each database, where records are added. */
export function inspectEdges(folder: string, say: Say): void {
  const scan = new Scan(folder, say);
  for (const name of scan.names) scan.edges(name);
  say({ damage: damageOf(scan.unreadable, new Set(), null) });
}

/**
 * Reads everything. Finds every database that LMDB cannot read in order, every record that differs from what was sealed, every invalid row, and
 * indexes and counts that do not match rows and records. Content is encrypted, so it is only read.
 */
export function inspectAll(folder: string, say: Say, isReadableFirst: boolean): void {
  const scan = new Scan(folder, say);
  if (isReadableFirst) {
    for (const name of scan.names) scan.walk(name, () => undefined);
    if (scan.unreadable.size === 0) say({ readable: true });
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
  for (const name of scan.names) scan.walk(name, visits[name]);
  const altered = new Set<string>();
  const isRead = (...names: Name[]): boolean => !names.some((name) => scan.unreadable.has(name));
  if (ledger.damage !== null) altered.add('ledger');
  else if (isRead('ledger', 'ledger-index') && !ledger.index.equals(ledgerIndex)) altered.add('ledger-index');
  if (runs.is_damaged) altered.add('runs');
  // The earlier indexes and counts are unknown here.
  else if (scan.schema === SCHEMA && isRead('runs')) {
    if (isRead('run-index') && !runs.index.equals(runIndex)) altered.add('run-index');
    if (isRead('state') && !isSame(counts, runs.counts)) altered.add('state');
  }
  say({ damage: damageOf(scan.unreadable, altered, ledger.damage) });
}

/** Reports each record that is as it was sealed, from one end of the ledger to the first that is not. */
export function verifyRecords(folder: string, say: Say, step: 1 | -1): void {
  const ledger = openToRead(folder).openDB<string, number>('ledger', { encoding: 'string' });
  const [last = 0] = step === 1 ? [] : [...ledger.getKeys({ reverse: true, limit: 1 })];
  for (let seq = step === 1 ? 1 : last; ; seq += step) {
    const value = ledger.get(seq);
    if (value === undefined || !isSealed(decodeEntry(value))) return;
    say({ seq });
  }
}

/** @param altered databases that can be read but differ from what was written */
function damageOf(unreadable: ReadonlySet<string>, altered: ReadonlySet<string>, seqs: SeqRange | null): Damage | null {
  const databases = [...new Set([...unreadable, ...altered])].sort();
  return databases.length === 0 ? null : { databases, unreadable: [...unreadable].sort(), seqs };
}

/** Null if they cannot be read. */
function keysIn(list: RootDatabase<string, string>): number | null {
  try {
    return [...list.getKeys()].length;
  } catch {
    return null;
  }
}

/** Without reading its entries. */
function entriesIn(db: Pick<Database, 'getStats'>): number {
  // The declarations of lmdb lack the field.
  return (db.getStats() as { readonly entryCount: number }).entryCount;
}

/** LMDB may leave out pages at the end that it does not use. */
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
