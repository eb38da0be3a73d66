import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRow } from '@svc/kernel/contracts';
import { type RunsDb, runsDb } from '../runs-db.ts';
import { linesOf } from './ledger-lines.ts';
import { pagesOf } from './ledger-pages.ts';
import type { Total } from './progress.ts';
import { Refusal } from './refusal.ts';

/** A ledger from its first record. */
export interface LedgerSource {
  /** Some records at a time, in order, as stored bytes; good until the next are asked for. */
  batches(): AsyncIterable<readonly Buffer[]>;
  /** Null where it is not known. */
  readonly total: Total | null;
  /** The runs that ended; null where the source knows no runs. */
  readonly endedRuns: (() => AsyncIterable<RunRow>) | null;
  close(): Promise<void>;
}

const PAGE = 1000;
const nothing = async (): Promise<void> => {};

/** @throws {Refusal} */
export async function openLedger(source: string, key: string | undefined): Promise<LedgerSource> {
  if (/^https?:\/\//.test(source)) return { batches: () => pagesOf(source, key), total: null, endedRuns: null, close: nothing };
  const db = runsDb(source);
  if (db.type === 'postgres') return openStore(db);
  if (!existsSync(source)) {
    throw new Refusal(
      `${source} is not there: give a runs-db (a folder, or a URL that begins with postgres://), a file of JSON lines, or a URL that begins with http:// or https://`,
    );
  }
  const found = statSync(source);
  if (!found.isDirectory())
    return { batches: () => linesOf(source), total: { of: 'bytes', count: found.size }, endedRuns: null, close: nothing };
  if (!existsSync(join(source, 'data.mdb'))) throw new Refusal(`${source} holds no runs-db`);
  return openStore(db);
}

async function openStore(db: RunsDb): Promise<LedgerSource> {
  // Most sources need no store, whose parts take longer to load than a small ledger to verify.
  const [{ isStoreError }, { makeParts, makeStore, ownPlugins }, { silentLogger }] = await Promise.all([
    import('@svc/kernel/contracts'),
    import('../compose.ts'),
    import('../logger.ts'),
  ]);
  const store = await makeStore(db, ownPlugins(), makeParts(silentLogger));
  await store.open('as_found').catch((error: unknown) => {
    if (isStoreError(error) && error.code === 'HELD')
      throw new Refusal(`${error.message}; or ask it: give its URL, and its key in SVC_KEY`);
    throw new Refusal(error instanceof Error ? error.message : 'the runs-db cannot be opened');
  });

  async function* batches(): AsyncGenerator<readonly Buffer[]> {
    for (let since_seq = 0, count = PAGE; count === PAGE; ) {
      const page = await store.records({ since_seq, limit: PAGE });
      yield page.map(({ bytes }) => Buffer.from(bytes));
      since_seq = page.at(-1)?.seq ?? since_seq;
      count = page.length;
    }
  }

  async function* endedRuns(): AsyncGenerator<RunRow> {
    const ended = { status: ['completed', 'blocked', 'denied', 'error'] as const, limit: PAGE };
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await store.runs(cursor === undefined ? ended : { ...ended, cursor });
      yield* page.rows;
      cursor = page.next;
    }
  }

  const head = await store.head();
  return { batches, total: { of: 'items', count: head?.seq ?? 0 }, endedRuns, close: () => store.close() };
}
