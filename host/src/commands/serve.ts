import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { readConfiguration } from '../compose/configuration.ts';
import type { Container } from '../compose/container.ts';
import { newHost } from '../compose/host.ts';
import { makeStore } from '../compose/store.ts';
import { GUARD_POOL, LOGGER } from '../compose/tokens.ts';
import { allowedHosts } from '../config/allowed-hosts.ts';
import { closeInstances, formatDiagnostic, type ResolvedConfig } from '../config/index.ts';
import { type RunsDb, runsDb } from '../config/runs-db.ts';
import { drainDelayMs, drainTimeoutMs } from '../ending/drain.ts';
import { endProcess } from '../ending/end-process.ts';
import { type Lifetime, lifetimeOfProcess } from '../ending/lifetime.ts';
import { LAST_LINES_MS } from '../ending/limits.ts';
import { CliError } from '../errors/cli-error.ts';
import { reportReady } from '../process/service-manager.ts';
import { assertPortFree } from '../serving/free-port.ts';
import { refuseStart, serveConfiguration } from '../serving/serving.ts';
import { flushLogs, makeLogger, makeSharedLogger } from '../telemetry/log/logger.ts';
import { Metrics } from '../telemetry/metrics/metrics.ts';
import { CONFIG_OPTION, readArguments, readPort } from './arguments.ts';
import { bannerLines, type Started } from './banner.ts';
import { diagnosticLine } from './diagnostic-line.ts';
import { LOG_OPTIONS, logSettings, logsIn } from './log-settings.ts';

export const SERVE_OPTIONS = {
  config: CONFIG_OPTION,
  host: { type: 'string' },
  port: { type: 'string' },
  'no-auth': { type: 'boolean', default: false },
  'allow-host': { type: 'string', multiple: true },
  'runs-db': { type: 'string' },
  demo: { type: 'boolean', default: false },
  'accept-clock': { type: 'boolean', default: false },
  ...LOG_OPTIONS,
} as const;

/** `svc serve`: checks the configuration, starts the gateway, and serves until a signal to stop. */
export async function serve(args: string[]): Promise<void> {
  const { values } = readArguments(args, SERVE_OPTIONS);
  const chat_prefix = values['no-auth'] ? '' : 'SVC_KEY=… ';
  await runServer(values, (started) =>
    bannerLines(started, { key: null, approver_key: null, key_files: [], chat_prefix, config: values.config }),
  );
}

export interface ServeValues {
  readonly config: string;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly 'no-auth': boolean;
  readonly 'allow-host'?: readonly string[] | undefined;
  readonly 'runs-db'?: string | undefined;
  readonly demo: boolean;
  readonly 'accept-clock': boolean;
  readonly 'log-level'?: string | undefined;
  readonly 'log-format'?: string | undefined;
}

/** Each process counts visitors separately, so a visitor would have one quota per process. */
const DEMO_WITH_WORKERS = '--demo works with one process only: remove --demo, or remove server.workers from the configuration';

/** The process that a server runs in, which normally runs nothing else. */
export interface Surroundings {
  readonly logger: Logger;
  /** Receives lines for people about problems in the configuration. */
  readonly complain: (line: string) => void;
  readonly lifetime: () => Lifetime;
  /** Lines for people that are shown at start, only in a terminal. */
  readonly greeting: (started: Started) => string[];
}

/** Serves until SIGINT or SIGTERM or, in a terminal, SIGHUP. Then ends the process. */
export async function runServer(values: ServeValues, greeting: (started: Started) => string[]): Promise<never> {
  // The reader of stderr may be gone.
  process.stderr.on('error', () => undefined);
  const logger = makeLogger(logSettings(values, await logsIn(values.config)));
  const complain = (line: string): void => void process.stderr.write(line);
  let left: readonly string[] = [];
  try {
    left = await serveUntilStopped(values, { logger, complain, greeting, lifetime: () => lifetimeOfProcess(logger) });
  } finally {
    await flushLogs(LAST_LINES_MS);
  }
  // A part that failed has already set the exit code.
  return endProcess(left.length > 0 ? 1 : Number(process.exitCode ?? 0), left.length > 0);
}

/** @returns the parts that did not end */
export async function serveUntilStopped(
  values: ServeValues,
  { logger, complain, lifetime, greeting }: Surroundings,
): Promise<readonly string[]> {
  const asked_port = values.port === undefined ? undefined : readPort(values.port);
  const container = newHost(logger);
  const config = await checkedConfiguration(values, container, complain);
  const host = values.host ?? config.server.host;
  const place = {
    host,
    port: asked_port ?? config.server.port,
    allowed_hosts: allowedHosts({ no_auth: values['no-auth'], host, named: values['allow-host'] ?? [] }),
    accepts_clock: values['accept-clock'],
    drain_delay_ms: drainDelayMs(config.drain_delay_ms),
    drain_timeout_ms: drainTimeoutMs(config.drain_timeout_ms),
  };
  const greet = (url: string, { place, is_temporary }: RunsDb): void => {
    if (!process.stdout.isTTY) return;
    const started = { url, routes: [...config.routes.keys()], place: is_temporary ? null : place };
    process.stderr.write(`\n${greeting(started).join('\n')}\n\n`);
  };
  await assertPortFree(place.host, place.port).catch(refuseStart);
  if (config.server.workers > 1) {
    if (values.demo) throw new CliError(DEMO_WITH_WORKERS);
    const runs_db = keptRunsDb(values['runs-db'], config);
    const logs = logSettings(values, config.logs);
    const order = { ...place, logs, config_file: values.config, config_bytes: config.bytes, runs_db };
    // The workers create instances of their own.
    await closeInstances(config, logger);
    await container.resolve(GUARD_POOL).close();
    sayNoAuth(values, logger);
    const { serveWithWorkers } = await import('../cluster/primary.ts');
    const shared = makeSharedLogger(logs);
    const db = runsDb(runs_db);
    return serveWithWorkers({
      order,
      workers: config.server.workers,
      // Only one process can open a folder.
      store: db.type === 'lmdb' ? await makeStore(db, config.catalogue, newHost(shared)) : null,
      config_digest: config.digest,
      logger: shared,
      listening: (url) => {
        reportReady(shared);
        greet(url, db);
      },
    });
  }
  const { db, temporary } = await chooseRunsDb(values['runs-db'], logger);
  sayNoAuth(values, logger);
  try {
    const serving = { ...place, demo: values.demo, runs_db: db, seals_inventory: true, metrics: new Metrics() };
    return await serveConfiguration(config, serving, container, lifetime(), (url) => {
      logger.info({ event: 'listening', url, config_digest: config.digest });
      reportReady(logger);
      greet(url, db);
    });
  } finally {
    if (temporary !== null) await rm(temporary, { recursive: true, force: true });
  }
}

function sayNoAuth(values: ServeValues, logger: Logger): void {
  if (values['no-auth'])
    logger.warn({ event: 'no_auth' }, 'authentication is off (--no-auth): anyone who can reach this port has full access');
}

/** @throws {CliError} without a runs-db, because the content key of a temporary one is only in the memory of one process */
function keptRunsDb(named: string | undefined, { server }: ResolvedConfig): string {
  if (named !== undefined) return named;
  const remedy = 'add --runs-db DIR or postgres://…, or remove server.workers from the configuration';
  throw new CliError(`server.workers is ${server.workers}, but a temporary runs-db works with one process only: ${remedy}`);
}

async function checkedConfiguration(
  { config: file, 'no-auth': no_auth }: ServeValues,
  container: Container,
  complain: (line: string) => void,
): Promise<ResolvedConfig> {
  const logger = container.resolve(LOGGER);
  const { config, diagnostics } = await readConfiguration(file, true, container);
  for (const diagnostic of diagnostics) {
    // `--no-auth` explicitly asks for that.
    if (no_auth && diagnostic.code === 'SVC-POL-009' && diagnostic.path === 'auth.keys') continue;
    if (diagnostic.severity === 'warning') logger.warn({ event: 'lint', ...diagnostic }, formatDiagnostic(diagnostic));
    else complain(`${diagnosticLine(diagnostic, process.stderr)}\n`);
  }
  if (config === null) throw new CliError(`the server was not started: ${file} has errors`);
  return config;
}

/** `temporary`: the folder to remove at the end; null if the runs are kept. */
async function chooseRunsDb(named: string | undefined, logger: Logger): Promise<{ db: RunsDb; temporary: string | null }> {
  if (named !== undefined) return { db: runsDb(named), temporary: null };
  logger.warn(
    { event: 'temporary_runs_db' },
    'no --runs-db given: runs, approvals and evidence are stored in a temporary folder and DELETED when the server stops',
  );
  const temporary = await mkdtemp(join(tmpdir(), 'svc-runs-db-'));
  // A subfolder, so that files beside the runs-db are removed as well.
  return { db: runsDb(join(temporary, 'runs-db'), true), temporary };
}
