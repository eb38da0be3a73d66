import { dirname, join, resolve } from 'node:path';
import { errorMessage } from '@svc/contracts';
import { ownPlugins, readConfiguration, usableProvider } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { outgoingFetch } from '../compose/plugin-deps.ts';
import { makeStore } from '../compose/store.ts';
import { GUARD_POOL } from '../compose/tokens.ts';
import { closeInstances, closeProvider } from '../config/close-instances.ts';
import type { ResolvedConfig } from '../config/index.ts';
import { runsDb } from '../config/runs-db.ts';
import { ledgerFiles } from '../keys/key-files.ts';
import { processMemory } from '../process/memory-share.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { type ClockReading, checkClock } from './clock.ts';
import { checkConfiguration, checkPrices, checkSecrets } from './configuration.ts';
import { checkDisk } from './disk.ts';
import { type Finding, problem } from './finding.ts';
import { checkIssuer } from './issuers.ts';
import { checkKeyFiles } from './key-files.ts';
import { checkMemory } from './memory.ts';
import { checkNode } from './node.ts';
import { checkProvider, providerClock } from './providers.ts';
import { checkRunsDb } from './runs-db.ts';

export interface Examined {
  readonly config: string;
  readonly runs_db: string;
  /** Whether no server is called but a database. */
  readonly offline: boolean;
}

type Host = ReturnType<typeof newHost>;

/** Everything that `svc doctor` finds, as it finds it. Needs no running gateway, and changes nothing. */
export async function* examine(asked: Examined): AsyncGenerator<Finding> {
  yield checkNode(process.versions.node);
  const host = newHost(silentLogger);
  try {
    const { config, diagnostics } = await readConfiguration(asked.config, false, host);
    yield* checkConfiguration(asked.config, diagnostics);
    // The rest needs the settings.
    if (config === null) return;
    try {
      yield* checkPrices(config.prices, diagnostics);
      yield* examineConfigured(config, asked, host);
    } finally {
      await closeInstances(config, silentLogger);
    }
  } finally {
    await host.resolve(GUARD_POOL).close();
  }
}

async function* examineConfigured(
  config: ResolvedConfig,
  { runs_db, offline, config: file }: Examined,
  host: Host,
): AsyncGenerator<Finding> {
  const known = await readConfiguration(file, true, host);
  yield* checkSecrets(known.diagnostics);
  const issuers = known.config?.issuers ?? config.issuers;
  if (known.config !== null) await closeInstances(known.config, silentLogger);
  yield checkMemory(config.server, processMemory());
  const db = runsDb(runs_db);
  if (db.type === 'lmdb') yield* await checkDisk(String(db.options.path));
  yield await checkRunsDb(db, () => makeStore(db, ownPlugins(), host));
  yield* await keyFiles(known.config ?? config, db);
  if (offline) return;
  const names = Object.keys(config.sections.providers ?? {});
  const [providers, answered] = await Promise.all([
    Promise.all(names.map((name) => oneProvider(file, name, host))),
    Promise.all(issuers.map((issuer) => checkIssuer(issuer, config.directory))),
  ]);
  yield* providers.map(({ finding }) => finding);
  yield* answered.map(({ finding }) => finding);
  yield checkClock([...providers, ...answered].flatMap(({ clocks }) => clocks));
}

/** The files that the gateway or `svc init` creates. The lint reports those of `secret://file`. */
async function keyFiles(config: ResolvedConfig, db: ReturnType<typeof runsDb>): Promise<Finding[]> {
  const { content_key, content_key_file } = config.store;
  const { signing_keys, pinned_checkpoint_file } = config.ledger;
  const isGiven = content_key !== null && signing_keys.length > 0 && pinned_checkpoint_file !== null;
  const folder = dirname(config.path);
  try {
    const { key } = ledgerFiles(config, db);
    const beside = ['svc.key', 'approver.key'].map((name) => join(folder, name));
    return await checkKeyFiles(
      [content_key_file, `${content_key_file}.parts`, key, ...beside],
      isGiven ? null : content_key_file,
    );
  } catch (error) {
    return [
      problem(
        'key files',
        errorMessage(error, 'the key files cannot be found'),
        'set store.content_key_file to a path outside the runs-db',
      ),
    ];
  }
}

async function oneProvider(
  file: string,
  name: string,
  host: Host,
): Promise<{ finding: Finding; clocks: readonly ClockReading[] }> {
  try {
    const usable = await usableProvider(resolve(file), name, host);
    try {
      const clock = providerClock(usable, outgoingFetch(silentLogger, dirname(resolve(file))));
      const finding = await checkProvider(usable);
      const reading = await clock;
      return { finding, clocks: reading === null ? [] : [reading] };
    } finally {
      await closeProvider(usable.provider, silentLogger);
    }
  } catch (error) {
    const message = `${name} was not called: ${errorMessage(error, 'it cannot be created')}`;
    return { finding: problem('providers', message, 'correct the section of the provider, or set its key'), clocks: [] };
  }
}
