import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CopyRefused, type CopyReport, copyStore } from '@svc/kernel';
import { isStoreError, type Store } from '@svc/kernel/contracts';
import { makeParts, makeStore, ownPlugins } from '../compose.ts';
import { silentLogger } from '../logger.ts';
import { type RunsDb, runsDb } from '../runs-db.ts';
import { readArguments } from './arguments.ts';
import { Progress } from './progress.ts';
import { Refusal } from './refusal.ts';

const USAGE = 'svc migrate lmdb-to-postgres --from DIR --to postgres://…';
/** Items between two looks at the progress. */
const LOOKED_AT_EVERY = 1000;

/**
 * `svc migrate FROM-to-TO --from RUNS_DB --to RUNS_DB [--json]`: copies the runs-db of a stopped server into an empty one, with FROM and TO
 * one of lmdb, postgres. The ledger is checked on the way. All or nothing: one that was interrupted can be run again.
 */
export async function migrate(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(
    args,
    { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean', default: false } },
    ['DIRECTION'],
  );
  const [, from_type, to_type] = /^(lmdb|postgres)-to-(lmdb|postgres)$/.exec(positionals[0] ?? '') ?? [];
  if (from_type === undefined || to_type === undefined || values.from === undefined || values.to === undefined) {
    throw new Refusal(`give the direction and both runs-dbs: ${USAGE}`, 2);
  }
  const from = namedDb('--from', values.from, from_type);
  const to = namedDb('--to', values.to, to_type);
  // Opening would make one.
  if (from.type === 'lmdb' && !existsSync(join(values.from, 'data.mdb'))) throw new Refusal(`${values.from} holds no runs-db`);
  const { items, head } = await withStore('--from', from, (source) => withStore('--to', to, (target) => copy(source, target)));
  if (values.json) process.stdout.write(`${JSON.stringify({ from: from.type, to: to.type, head, items }, null, 2)}\n`);
  else {
    process.stdout.write(
      `copied: ${items.run} runs, ${items.record} records, checked one by one, head ${head?.hash ?? 'genesis'}\n`,
    );
    process.stdout.write('from now on serve the copy alone: two servers that go on from one ledger would fork it\n');
  }
}

function namedDb(option: string, named: string, type: string): RunsDb {
  const db = runsDb(named);
  if (db.type !== type) throw new Refusal(`${option} is no runs-db of ${type}: ${USAGE}`, 2);
  return db;
}

async function withStore<T>(option: string, db: RunsDb, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await makeStore(db, ownPlugins(), makeParts(silentLogger));
  try {
    await store.open().catch((error: unknown) => {
      throw isStoreError(error) ? new Refusal(`${option}: ${error.message}`) : error;
    });
    return await work(store);
  } finally {
    await store.close();
  }
}

async function copy(source: Store, target: Store): Promise<CopyReport> {
  const records = (await source.head())?.seq ?? 0;
  const progress = new Progress(process.stderr, 'records', { of: 'items', count: records });
  let shown = 0;
  try {
    return await copyStore(source, target, ({ record, run, content }) => {
      if ((record + run + content) % LOOKED_AT_EVERY !== 0) return;
      progress.advance(record - shown, 0);
      shown = record;
    });
  } catch (error) {
    if (error instanceof CopyRefused) throw new Refusal(`nothing was copied: --from: ${error.message}`);
    throw isStoreError(error) ? new Refusal(`nothing was copied: ${error.message}`) : error;
  } finally {
    progress.end();
  }
}
