import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isStoreError, isSvcError } from '@svc/contracts';
import { type Erased, type EraseOptions, eraseAllAtStore, eraseAtStore } from '@svc/runtime';
import { Value } from 'typebox/value';
import { usableStoreConfiguration } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { makeStore } from '../compose/store.ts';
import { CLOCK, GUARD_POOL } from '../compose/tokens.ts';
import { runsDb } from '../config/runs-db.ts';
import { CliError } from '../errors/cli-error.ts';
import { reasonOf } from '../http/reason.ts';
import { reasonOnRecord } from '../http/schemas.ts';
import { contentKeys, withKeysOf } from '../keys/content-key.ts';
import { askServer, notOurs, withReason } from '../served/ask-server.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { printable } from '../terminal/terminal.ts';
import { CONFIG_OPTION, readArguments } from './arguments.ts';

const HINTS = {
  refused: "SVC_KEY must be the key of the run's creator or of an approver, or have the role admin",
  away: 'if the server is stopped, use --runs-db',
};
const USAGE =
  'svc runs erase RUN_ID --server http://… (API key in SVC_KEY), or svc runs erase RUN_ID|--all --runs-db DIR|URL; add --reason TEXT to record why';

/**
 * `svc runs erase RUN_ID (--server URL | --runs-db DIR|URL [--config F]) [--reason TEXT] [--json]`, `svc runs erase --all --runs-db DIR|URL
 * [--config F] [--reason TEXT]`: deletes the content of runs for good, through their server, or in the runs-db of a stopped one.
 */
export async function eraseRuns(args: string[]): Promise<void> {
  const all = args.includes('--all');
  const { values, positionals } = readArguments(
    args,
    {
      all: { type: 'boolean', default: false },
      server: { type: 'string' },
      'runs-db': { type: 'string' },
      config: CONFIG_OPTION,
      reason: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
    all ? [] : ['RUN_ID'],
  );
  const [run_id = ''] = positionals;
  const { server, 'runs-db': runs_db, config, reason } = values;
  if ((server === undefined) === (runs_db === undefined) || (all && runs_db === undefined)) throw new CliError(USAGE, 2);
  const say = (json: object, line: string): void =>
    void process.stdout.write(values.json ? `${JSON.stringify(json)}\n` : `${line}\n`);
  if (all && runs_db !== undefined) {
    const runs = await atStore(runs_db, config, reason, (options) => eraseAllAtStore(options, progress));
    return say({ runs }, `erased the content of ${runs} runs`);
  }
  const erased =
    server === undefined
      ? await atStore(runs_db ?? '', config, reason, (options) => eraseAtStore(run_id, options))
      : await atServer(server, run_id, reason);
  say(erased, wordsOf(erased));
}

function wordsOf({ run_id, status, backups_unreadable }: Erased): string {
  const copies = backups_unreadable
    ? 'its content in existing backups can no longer be read'
    : 'its content in existing backups can be read until the content key is replaced (docs/content.md)';
  return printable(`erased the content of ${run_id} (${status}); ${copies}`);
}

function progress(runs: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${runs} runs`);
}

async function atServer(url: string, run_id: string, reason: string | undefined): Promise<Erased> {
  const path = withReason(`/v1/runs/${encodeURIComponent(run_id)}/content`, reason);
  const erased = await askServer(url, { method: 'DELETE', path }, HINTS);
  if (isErased(erased)) return erased;
  throw notOurs(url);
}

function isErased(body: unknown): body is Erased {
  return typeof body === 'object' && body !== null && 'backups_unreadable' in body && 'run_id' in body;
}

async function atStore<T>(
  named: string,
  config_file: string,
  given: string | undefined,
  work: (options: EraseOptions) => Promise<T>,
): Promise<T> {
  if (given !== undefined && !Value.Check(reasonOnRecord, given)) throw new CliError('--reason must be 1 to 1000 characters', 2);
  const db = runsDb(named);
  // Opening the store would create a folder.
  if (db.type === 'lmdb' && !existsSync(join(named, 'data.mdb'))) throw new CliError(`${named} is not a runs-db`);
  const host = newHost(silentLogger);
  const config = await usableStoreConfiguration(config_file, host);
  const store = await makeStore(db, config.catalogue, host);
  try {
    const reason = reasonOf(given);
    await store.open();
    const content_keys = await contentKeys(config.store, db);
    const { digest: config_digest } = config;
    const options = { store, content_keys, clock: host.resolve(CLOCK), logger: silentLogger, config_digest, reason };
    return await withKeysOf(content_keys, config.store, () => work(options));
  } catch (error) {
    if (isStoreError(error) && error.code === 'HELD') {
      throw new CliError(`${error.message}; or use --server`);
    }
    throw isStoreError(error) || isSvcError(error) || error instanceof Error ? new CliError(error.message) : error;
  } finally {
    await store.close();
    await host.resolve(GUARD_POOL).close();
  }
}
