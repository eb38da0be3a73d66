import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '@svc/contracts';
import { type Checkpoint, readOperation } from '@svc/ledger';
import { type RunsDb, runsDb } from '../config/runs-db.ts';
import { CliError } from '../errors/cli-error.ts';
import { AUDIT_HINTS } from '../served/ask-server.ts';
import { linesOf } from '../served/ledger-lines.ts';
import { LEDGER, OPERATIONS, recordPages, servedCheckpoint } from '../served/ledger-pages.ts';
import type { Fault, LogName } from './ledger-words.ts';
import type { Total } from './progress.ts';

interface Source {
  /** Null if unknown. */
  readonly total: Total | null;
  close(): Promise<void>;
}

/** Records of one log, from the first. */
export interface RecordLog {
  readonly of: LogName;
  /** Batches of records as stored bytes, in order. */
  batches(): AsyncIterable<readonly Uint8Array[]>;
  /**
   * The end of the log according to its server. Null without a server.
   * @throws {CliError} if the server does not give it
   */
  end(): Promise<Checkpoint | null>;
}

/** A source that has only records. */
export interface RecordSource extends Source {
  readonly kind: 'records';
  /** For a file: the log that the file contains. */
  readonly ledger: RecordLog;
  /** Null: the source has no operations log. */
  readonly operations: RecordLog | null;
}

/** A runs-db, which contains more than records. */
export interface StoreSource extends Source {
  readonly kind: 'store';
  readonly store: Store;
}

/** A runs-db that cannot be opened safely. */
export interface DamagedSource extends Source {
  readonly kind: 'damaged';
  readonly fault: Fault;
}

export type LedgerSource = RecordSource | StoreSource | DamagedSource;

const nothing = async (): Promise<void> => {};

/** Whether the source is a folder with a runs-db. Its data file is memory-mapped. */
export function isFolder(source: string): boolean {
  return existsSync(join(source, 'data.mdb'));
}

/** @throws {CliError} */
export async function openLedger(source: string): Promise<LedgerSource> {
  if (/^https?:\/\//.test(source)) {
    const ledger = await served(source, LEDGER);
    if (ledger === null) throw new CliError(`${source} answered 404: check that it is the URL of a gateway`);
    // Servers of earlier releases have no operations log.
    const operations = await served(source, OPERATIONS);
    return { kind: 'records', ledger, operations, total: null, close: nothing };
  }
  const db = runsDb(source);
  if (db.type === 'postgres') return openStore(db);
  if (!existsSync(source)) {
    throw new CliError(
      `${source} does not exist: give a runs-db (a folder or a postgres:// URL), a JSON Lines file, or an http(s):// URL`,
    );
  }
  const found = statSync(source);
  if (!found.isDirectory()) {
    const total: Total = { of: 'bytes', count: found.size };
    const of = await logIn(source);
    const batches = () => (of === 'session' ? withoutFirst(linesOf(source)) : linesOf(source));
    const ledger: RecordLog = { of, batches, end: async () => null };
    return { kind: 'records', ledger, operations: null, total, close: nothing };
  }
  if (!isFolder(source)) throw new CliError(`${source} is not a runs-db`);
  return openStore(db);
}

async function served(url: string, log: string): Promise<RecordLog | null> {
  const end = await servedCheckpoint(url, log);
  const batches = () => recordPages(url, log, AUDIT_HINTS);
  return end === null ? null : { of: log === LEDGER ? 'ledger' : 'operations', batches, end };
}

/** Which log a file contains, judged by its first line. */
async function logIn(file: string): Promise<LogName> {
  const first = await firstLine(file);
  if (first === null) return 'ledger';
  if (noteIn(first) !== null) return 'session';
  return typeof readOperation(first) === 'object' ? 'operations' : 'ledger';
}

async function firstLine(file: string): Promise<Uint8Array | null> {
  for await (const [first] of linesOf(file)) if (first !== undefined) return first;
  return null;
}

/** The note at the beginning of an export of a session. Null: the source is no such export, or no file. */
export async function noteOfSession(source: string): Promise<string | null> {
  if (/^[a-z+]+:\/\//.test(source) || !existsSync(source) || statSync(source).isDirectory()) return null;
  const first = await firstLine(source);
  return first === null ? null : noteIn(first);
}

function noteIn(line: Uint8Array): string | null {
  try {
    const { checkpoint } = JSON.parse(Buffer.from(line).toString()) as { checkpoint?: unknown };
    return typeof checkpoint === 'string' ? checkpoint : null;
  } catch {
    return null;
  }
}

async function* withoutFirst(batches: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<readonly Uint8Array[]> {
  let isFirst = true;
  for await (const batch of batches) {
    yield isFirst ? batch.slice(1) : batch;
    isFirst &&= batch.length === 0;
  }
}

async function openStore(db: RunsDb): Promise<StoreSource | DamagedSource> {
  // Loaded on demand: loading a store takes longer than verifying a small ledger.
  const { openRunsDb } = await import('./open-runs-db.ts');
  const { store, fault } = await openRunsDb(db);
  if (store === null) return { kind: 'damaged', fault, total: null, close: nothing };
  const head = await store.head();
  return { kind: 'store', store, total: { of: 'items', count: head?.seq ?? 0 }, close: () => store.close() };
}
