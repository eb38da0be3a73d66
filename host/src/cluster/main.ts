import { readConfiguration } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { formatDiagnostic, type ResolvedConfig } from '../config/index.ts';
import { runsDb } from '../config/runs-db.ts';
import { endProcess } from '../ending/end-process.ts';
import { lifetimeOfProcess } from '../ending/lifetime.ts';
import { LAST_LINES_MS } from '../ending/limits.ts';
import { say } from '../ending/say.ts';
import { reloadSignal, stopSignal } from '../ending/stop-signal.ts';
import { CliError } from '../errors/cli-error.ts';
import { assertKeysKept } from '../process/json-keys.ts';
import { serveConfiguration } from '../serving/serving.ts';
import { ChannelStore } from '../store-channel/channel-store.ts';
import { flushLogs, makeSharedLogger } from '../telemetry/log/logger.ts';
import { Metrics } from '../telemetry/metrics/metrics.ts';
import { ToPrimary } from './to-primary.ts';

/** A worker process: a complete gateway, which shares the port and the database with others. */
async function serve(primary: ToPrimary): Promise<readonly string[]> {
  const stop = Promise.race([primary.stop, stopSignal()]);
  assertKeysKept();
  const { config_file, config_bytes, runs_db, logs, first, ...place } = await Promise.race([primary.order, primary.lost]);
  const logger = makeSharedLogger(logs);
  const db = runsDb(runs_db);
  const store = db.type === 'lmdb' ? new ChannelStore(primary.storeChannel) : undefined;
  if (store !== undefined) void primary.lost.catch(endAtOnce);
  const container = newHost(logger);
  // The primary has printed the diagnostics already.
  const { config, diagnostics } = await readConfiguration(config_file, true, container, { bytes: config_bytes });
  if (config === null) {
    const error = diagnostics.find(({ severity }) => severity === 'error');
    throw new CliError(error === undefined ? `${config_file} has errors` : formatDiagnostic(error));
  }
  const metrics = new Metrics(primary);
  primary.onPartWanted(async (id) => primary.send({ type: 'part', id, part: await metrics.part() }));
  const serving = {
    ...place,
    // Retrieval files in a folder can be used by one process only.
    runs_db: { ...db, rag_folder: null },
    ...(store && { store }),
    demo: false,
    seals_inventory: first,
    metrics,
    applied: ({ bytes }: ResolvedConfig) => void primary.send({ type: 'applied', config_bytes: bytes }),
    lost: primary.lost,
  };
  // Only the primary handles SIGHUP, which may be sent to the whole process group.
  reloadSignal();
  const lifetime = lifetimeOfProcess(logger, stop, (reload) => primary.onReload(reload));
  const left = await serveConfiguration(
    config,
    serving,
    container,
    lifetime,
    (url) => void primary.send({ type: 'listening', url }),
  );
  await primary.send({ type: 'part', id: null, part: await metrics.part() });
  isOver = true;
  return left;
}

let isOver = false;

/** Without the process that holds the runs-db, no run can be completed. */
async function endAtOnce(): Promise<void> {
  if (isOver) return;
  await flushLogs(LAST_LINES_MS);
  await endProcess(1, true);
}

// The reader of stderr may be gone.
process.stderr.on('error', () => undefined);
const primary = new ToPrimary();
try {
  const left = await serve(primary);
  if (process.connected) process.disconnect();
  await flushLogs(LAST_LINES_MS);
  await endProcess(left.length > 0 ? 1 : 0, left.length > 0);
} catch (error) {
  // An unexpected error shows its stack. A CliError is printed once, by the primary.
  if (error instanceof CliError) await primary.send({ type: 'refused', reason: error.message });
  else await say(`svc: ${error instanceof Error ? error.stack : error}`);
  await flushLogs(LAST_LINES_MS);
  await endProcess(1, false);
}
