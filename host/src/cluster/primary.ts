import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Store } from '@svc/contracts';
import type { Logger } from 'pino';
import { reloadSignal, stopSignal } from '../ending/stop-signal.ts';
import { CliError } from '../errors/cli-error.ts';
import { NO_INSPECTOR } from '../process/no-inspector.ts';
import { logUnhandledRejections } from '../process/unhandled-rejections.ts';
import { refuseStart } from '../serving/serving.ts';
import { closeStore } from './close-store.ts';
import type { Order } from './messages.ts';
import { Workers } from './workers.ts';

export interface PrimaryOptions {
  readonly order: Order;
  readonly workers: number;
  /** The store, which is opened and closed here and served to the workers. Null: each worker opens the database itself. */
  readonly store: Store | null;
  readonly config_digest: string;
  readonly logger: Logger;
  /** Called when all workers listen. */
  readonly listening: (url: string) => void;
}

/**
 * Serves with several processes until SIGINT or SIGTERM or, in a terminal, SIGHUP. This process holds the port and hands each connection to a worker
 * that is free to take one. It handles no requests.
 * @returns the parts that did not end
 * @throws {CliError} with the reason, if the store cannot be opened or a worker cannot start; all workers have ended then
 */
export async function serveWithWorkers(options: PrimaryOptions): Promise<readonly string[]> {
  const { store, logger } = options;
  await store?.open().catch(refuseStart);
  let left: readonly string[] = [];
  let inOrder: boolean;
  try {
    inOrder = await serve(options);
  } finally {
    if (store !== null) left = await closeStore(store, logger);
  }
  if (left.length === 0) logger.info({ event: 'stopped' });
  if (!inOrder)
    throw new CliError('a worker did not shut down cleanly; at the next start its unfinished runs end with status error');
  return left;
}

/** Returns whether every worker ended in order. */
async function serve({ order, workers: count, store, config_digest, logger, listening }: PrimaryOptions): Promise<boolean> {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  // Uses structured clone: in JSON, NaN would arrive as null, and bytes as a list.
  const execArgv = [...process.execArgv, NO_INSPECTOR];
  cluster.setupPrimary({ exec: fileURLToPath(import.meta.resolve('#worker')), args: [], execArgv, serialization: 'advanced' });
  logUnhandledRejections(logger);
  const stop = stopSignal();
  const onReload = reloadSignal();
  const workers = new Workers(order, count, store, logger);
  try {
    const url = await Promise.race([workers.start(), stop.then(() => null)]);
    if (url !== null) {
      logger.info({ event: 'listening', url, config_digest, workers: workers.pids });
      listening(url);
      onReload(() => workers.reload());
    }
  } catch (error) {
    await workers.stop('SIGTERM');
    throw error;
  }
  const signal = await stop;
  logger.info({ event: 'stopping', signal });
  return workers.stop(signal);
}
