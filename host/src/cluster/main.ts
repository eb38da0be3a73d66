import { formatDiagnostic } from '@svc/kernel';
import { Refusal } from '../commands/refusal.ts';
import { makeParts, readConfiguration } from '../compose.ts';
import { makeSharedLogger } from '../logger.ts';
import { Metrics } from '../metrics.ts';
import { runsDb } from '../runs-db.ts';
import { serveConfiguration } from '../serving.ts';
import { stopSignal } from '../stop-signal.ts';
import { ToPrimary } from './to-primary.ts';

/** One worker process: a gateway of its own, on the port and the database of all. */
async function serve(primary: ToPrimary): Promise<void> {
  const stop = Promise.race([primary.stop, stopSignal()]);
  const logger = makeSharedLogger();
  const { config_file, config_bytes, runs_db, host, port, no_auth, first } = await Promise.race([primary.order, primary.lost]);
  const parts = makeParts(logger);
  // The primary has told what is to be said about it.
  const { config, diagnostics } = await readConfiguration(config_file, true, parts, config_bytes);
  if (config === null) {
    const error = diagnostics.find(({ severity }) => severity === 'error');
    throw new Refusal(error === undefined ? `${config_file} has errors` : formatDiagnostic(error));
  }
  const metrics = new Metrics(primary);
  primary.onPartWanted(async (id) => primary.tell({ type: 'part', id, part: await metrics.part() }));
  const serving = {
    runs_db: runsDb(runs_db),
    host,
    port,
    no_auth,
    demo: false,
    seals_inventory: first,
    metrics,
    lost: primary.lost,
  };
  await serveConfiguration(config, serving, { parts, logger }, stop, (url) => void primary.tell({ type: 'listening', url }));
  await primary.tell({ type: 'part', id: null, part: await metrics.part() });
}

const primary = new ToPrimary();
try {
  await serve(primary);
  if (process.connected) process.disconnect();
} catch (error) {
  // A fault of ours shows where it came from; a refusal is said once, by the primary.
  if (error instanceof Refusal) await primary.tell({ type: 'refused', reason: error.message });
  else process.stderr.write(`svc: ${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
}
