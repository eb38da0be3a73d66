import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isStoreError, type Store, type StoreAccess } from '@svc/contracts';
import { CopyRefused, type CopyReport, copyStore, LedgerMigrated, undoMigration } from '@svc/runtime/records';
import { ownPlugins } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { makeStore } from '../compose/store.ts';
import { type RunsDb, runsDb } from '../config/runs-db.ts';
import { CliError } from '../errors/cli-error.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { readArguments } from './arguments.ts';
import { Progress } from './progress.ts';

const USAGE = 'svc migrate lmdb-to-postgres --from DIR --to postgres://…, or svc migrate undo --from RUNS_DB';
/** Number of items between two progress updates. */
const LOOKED_AT_EVERY = 1000;

/**
 * `svc migrate FROM-to-TO --from RUNS_DB --to RUNS_DB [--json]`: copies the runs-db of a stopped server into an empty one; FROM and TO are lmdb or
 * postgres. The ledger is verified while it is copied. An interrupted migration can be repeated. The source is marked as migrated, and can no longer
 * be served; `svc migrate undo --from RUNS_DB` removes the mark.
 */
export async function migrate(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(
    args,
    { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean', default: false } },
    ['DIRECTION'],
  );
  if (positionals[0] === 'undo') return undoMigrationOf(values.from);
  const [, from_type, to_type] = /^(lmdb|postgres)-to-(lmdb|postgres)$/.exec(positionals[0] ?? '') ?? [];
  if (from_type === undefined || to_type === undefined || values.from === undefined || values.to === undefined) {
    throw new CliError(`the direction, --from or --to is missing. Usage: ${USAGE}`, 2);
  }
  const from = namedDb('--from', values.from, from_type);
  const to = namedDb('--to', values.to, to_type);
  // Opening the store would create a folder.
  if (from.type === 'lmdb' && !existsSync(join(values.from, 'data.mdb'))) throw new CliError(`${values.from} is not a runs-db`);
  const { items, head } = await withStore('--from', from, 'must_exist', (source) =>
    withStore('--to', to, 'serve', (target) => copy(source, target, to.place)),
  );
  if (values.json) process.stdout.write(`${JSON.stringify({ from: from.type, to: to.type, head, items }, null, 2)}\n`);
  else {
    process.stdout.write(`copied and compared ${items.run} runs and ${items.record} records; head ${head?.hash ?? 'genesis'}\n`);
    process.stdout.write('From now on, serve the copy. The source is marked as migrated, and svc serve refuses it.\n');
  }
}

/** Undoes a migration for an operator who discards the copy. */
async function undoMigrationOf(named: string | undefined): Promise<void> {
  if (named === undefined) throw new CliError(`missing --from, the runs-db to serve again. Usage: ${USAGE}`, 2);
  const move = await withStore('--from', runsDb(named), 'must_exist', undoMigration).catch((error: unknown) => {
    throw isStoreError(error) ? new CliError(`--from: ${error.message}`) : error;
  });
  process.stdout.write(
    move === null
      ? 'nothing to undo: this runs-db was not migrated\n'
      : `migration undone: serve this runs-db again, and never serve ${move.to}\n`,
  );
}

function namedDb(option: string, named: string, type: string): RunsDb {
  const db = runsDb(named);
  if (db.type !== type) throw new CliError(`${option} is not a runs-db of type ${type}. Usage: ${USAGE}`, 2);
  return db;
}

async function withStore<T>(option: string, db: RunsDb, access: StoreAccess, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await makeStore(db, ownPlugins(), newHost(silentLogger));
  try {
    await store.open(access).catch((error: unknown) => {
      throw isStoreError(error) ? new CliError(`${option}: ${error.message}`) : error;
    });
    return await work(store);
  } finally {
    await store.close();
  }
}

async function copy(source: Store, target: Store, name: string): Promise<CopyReport> {
  const records = (await source.head())?.seq ?? 0;
  const progress = new Progress(process.stderr, 'records', { of: 'items', count: records });
  let shown = 0;
  try {
    return await copyStore(source, target, name, ({ record, run, content }) => {
      if ((record + run + content) % LOOKED_AT_EVERY !== 0) return;
      progress.advance(record - shown, 0);
      shown = record;
    });
  } catch (error) {
    if (error instanceof CopyRefused || error instanceof LedgerMigrated)
      throw new CliError(`nothing was copied: --from: ${error.message}`);
    throw isStoreError(error) ? new CliError(`nothing was copied: ${error.message}`) : error;
  } finally {
    progress.end();
  }
}
