import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isStoreError, isSvcError } from '@svc/contracts';
import { type Erased, type EraseOptions, eraseAllAtStore, eraseAtStore } from '@svc/kernel';
import { readStoreConfiguration } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { makeStore } from '../compose/store.ts';
import { CLOCK, GUARD_POOL } from '../compose/tokens.ts';
import { formatDiagnostic } from '../config/index.ts';
import { runsDb } from '../config/runs-db.ts';
import { CliError } from '../errors/cli-error.ts';
import { contentKeys } from '../keys/content-key.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { readArguments } from './arguments.ts';
import { askServer } from './ask-server.ts';

const USAGE = 'svc runs erase RUN_ID|--all --runs-db DIR|URL, or RUN_ID --server http://… with the key in SVC_KEY';

/**
 * `svc runs erase RUN_ID (--server URL | --runs-db DIR|URL [--config F]) [--json]`, `svc runs erase --all --runs-db DIR|URL [--config F]`:
 * deletes the content of runs for good, through their server, or in the runs-db of a stopped one.
 */
export async function eraseRuns(args: string[]): Promise<void> {
  const all = args.includes('--all');
  const { values, positionals } = readArguments(
    args,
    {
      all: { type: 'boolean', default: false },
      server: { type: 'string' },
      'runs-db': { type: 'string' },
      config: { type: 'string', default: 'svc.yaml' },
      json: { type: 'boolean', default: false },
    },
    all ? [] : ['RUN_ID'],
  );
  const [run_id = ''] = positionals;
  const { server, 'runs-db': runs_db, config } = values;
  if ((server === undefined) === (runs_db === undefined) || (all && runs_db === undefined)) throw new CliError(USAGE, 2);
  const say = (json: object, line: string): void =>
    void process.stdout.write(values.json ? `${JSON.stringify(json)}\n` : `${line}\n`);
  if (all && runs_db !== undefined) {
    const runs = await atStore(runs_db, config, (options) => eraseAllAtStore(options, progress));
    return say({ runs }, `erased: the content of ${runs} runs`);
  }
  const erased =
    server === undefined
      ? await atStore(runs_db ?? '', config, (options) => eraseAtStore(run_id, options))
      : await atServer(server, run_id);
  say(erased, wordsOf(erased));
}

function wordsOf({ run_id, status, backups_unreadable }: Erased): string {
  const copies = backups_unreadable
    ? 'its content in existing backups is unreadable, too'
    : 'its content in existing backups stays readable until the content key is replaced (docs/content.md)';
  return `erased: ${run_id} (${status}); ${copies}`;
}

function progress(runs: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${runs} runs`);
}

async function atServer(url: string, run_id: string): Promise<Erased> {
  const hints = {
    refused: "SVC_KEY must be the key of the run's creator or of an approver, or have the role admin",
    away: 'for a stopped server use --runs-db',
  };
  const body = await askServer(url, { method: 'DELETE', path: `/v1/runs/${encodeURIComponent(run_id)}/content`, hints });
  if (isErased(body)) return body;
  throw new CliError(`${url} did not answer as a gateway does`);
}

function isErased(body: unknown): body is Erased {
  return typeof body === 'object' && body !== null && 'backups_unreadable' in body && 'run_id' in body;
}

async function atStore<T>(named: string, config_file: string, work: (options: EraseOptions) => Promise<T>): Promise<T> {
  const db = runsDb(named);
  // Opening would create one.
  if (db.type === 'lmdb' && !existsSync(join(named, 'data.mdb'))) throw new CliError(`${named} is not a runs-db`);
  const host = newHost(silentLogger);
  const { config, diagnostics } = await readStoreConfiguration(config_file, host);
  if (config === null) {
    const error = diagnostics.find(({ severity }) => severity === 'error');
    throw new CliError(error === undefined ? `${config_file} has errors` : formatDiagnostic(error));
  }
  const store = await makeStore(db, config.catalogue, host);
  try {
    await store.open();
    const content_keys = await contentKeys(config.store, db);
    return await work({ store, content_keys, clock: host.resolve(CLOCK), logger: silentLogger, config_digest: config.digest });
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
