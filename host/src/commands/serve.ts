import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatDiagnostic, type ResolvedConfig } from '@svc/kernel';
import type { Logger } from 'pino';
import { assemble, makeParts, type Parts, readConfiguration } from '../compose.ts';
import { makeLogger } from '../logger.ts';
import { type RunsDb, runsDb } from '../runs-db.ts';
import { readArguments, readPort } from './arguments.ts';
import { Refusal } from './refusal.ts';

export const SERVE_OPTIONS = {
  config: { type: 'string', default: 'svc.yaml' },
  host: { type: 'string' },
  port: { type: 'string' },
  'no-auth': { type: 'boolean', default: false },
  'runs-db': { type: 'string' },
} as const;

/** `svc serve`: checks the configuration, starts the gateway and serves until it is told to stop. */
export async function serve(args: string[]): Promise<void> {
  const { values } = readArguments(args, SERVE_OPTIONS);
  await runServer(values, (url) => [`svc is ready: ${url}`, `approvals: ${url}/approvals   showcase: ${url}/showcase`]);
}

export interface ServeValues {
  readonly config: string;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly 'no-auth': boolean;
  readonly 'runs-db'?: string | undefined;
}

/** Serves until SIGINT or SIGTERM. `greeting` makes the lines for people, shown in a terminal only. */
export async function runServer(values: ServeValues, greeting: (url: string) => string[]): Promise<void> {
  const asked_port = values.port === undefined ? undefined : readPort(values.port);
  const logger = makeLogger();
  const parts = makeParts(logger);
  const config = await checkedConfiguration(values.config, parts, logger);
  const { db, temporary } = await chooseRunsDb(values['runs-db'], logger);
  try {
    await serveConfiguration(config, db, { ...values, asked_port }, { parts, logger, greeting });
  } finally {
    if (temporary !== null) await rm(temporary, { recursive: true, force: true });
  }
}

interface Surroundings {
  readonly parts: Parts;
  readonly logger: Logger;
  readonly greeting: (url: string) => string[];
}

async function serveConfiguration(
  config: ResolvedConfig,
  runs_db: RunsDb,
  values: ServeValues & { readonly asked_port: number | undefined },
  { parts, logger, greeting }: Surroundings,
): Promise<void> {
  const host = values.host ?? config.server.host;
  const port = values.asked_port ?? config.server.port;
  const without_auth = values['no-auth'] ? { without_auth: { names: localNames(host) } } : {};
  if (values['no-auth']) logger.warn({ event: 'no_auth' }, 'authentication is off: whoever reaches this port may do everything');
  process.on('unhandledRejection', (reason) => {
    logger.error({ event: 'unhandled_rejection', reason: reason instanceof Error ? reason.name : 'unknown' });
  });
  const signal = stopSignal();
  const assembled = await assemble(config, { runs_db, ...without_auth }, parts, logger).catch(refuseStart);
  const url = await assembled.server.listen({ host, port }).catch(async (error: unknown) => {
    await assembled.close();
    return refuseStart(error);
  });
  logger.info({ event: 'listening', url, config_digest: config.digest });
  if (process.stdout.isTTY) process.stderr.write(`\n${greeting(url).join('\n')}\n\n`);
  logger.info({ event: 'stopping', signal: await signal });
  await assembled.close();
  logger.info({ event: 'stopped' });
}

async function checkedConfiguration(file: string, parts: Parts, logger: Logger): Promise<ResolvedConfig> {
  const { config, diagnostics } = await readConfiguration(file, true, parts);
  for (const diagnostic of diagnostics) {
    if (diagnostic.severity === 'warning') logger.warn({ event: 'lint', ...diagnostic }, formatDiagnostic(diagnostic));
    else process.stderr.write(`${formatDiagnostic(diagnostic)}\n`);
  }
  if (config === null) throw new Refusal(`${file} has errors; the server does not start`);
  return config;
}

/** The folder that is removed at the end, null where the runs are kept. */
async function chooseRunsDb(named: string | undefined, logger: Logger): Promise<{ db: RunsDb; temporary: string | null }> {
  if (named !== undefined) return { db: runsDb(named), temporary: null };
  logger.warn(
    { event: 'temporary_runs_db' },
    'no --runs-db: runs, approvals and evidence are in a temporary folder and are GONE when the server stops',
  );
  const temporary = await mkdtemp(join(tmpdir(), 'svc-runs-db-'));
  return { db: runsDb(temporary), temporary };
}

/**
 * Resolves to the first signal that asks the server to stop. Later ones change nothing: on Ctrl-C a terminal and npm both send one, and
 * the second must not end the process before its runs have their evidence.
 */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => resolve(name));
  });
}

/** What `Host` may name for a gateway that listens on the loopback; null where it listens wider and may have any name. */
function localNames(host: string): readonly string[] | null {
  const names = ['127.0.0.1', 'localhost', '[::1]', '::1'];
  return names.includes(host) ? names : null;
}

/** What stopped the start, in one line, causes included. */
function refuseStart(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    throw new Refusal('the port is taken (EADDRINUSE): end what listens there, or give another with --port or server.port');
  }
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message);
  throw new Refusal(messages.join(': ') || 'the server could not start');
}
