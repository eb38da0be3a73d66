import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { stopSignal } from '../ending/stop-signal.ts';
import { CliError } from '../errors/cli-error.ts';
import { NO_INSPECTOR } from '../process/no-inspector.ts';
import { logUnhandledRejections } from '../process/unhandled-rejections.ts';
import type { Order } from './messages.ts';
import { Workers } from './workers.ts';

export interface PrimaryOptions {
  readonly order: Order;
  readonly workers: number;
  readonly config_digest: string;
  readonly logger: Logger;
  /** What to say to people once all listen. */
  readonly greet: (url: string) => void;
}

/**
 * Serves with several processes until SIGINT, SIGTERM or SIGHUP. This one holds the port and hands the connections out, each to a worker that is
 * free to take one; it touches no request.
 * @throws {CliError} where a worker cannot start, with its reason, after all have ended
 */
export async function serveWithWorkers({ order, workers: count, config_digest, logger, greet }: PrimaryOptions): Promise<void> {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  // Advanced: as JSON, what is not a number would arrive as null, and the bytes of a file as a list.
  const execArgv = [...process.execArgv, NO_INSPECTOR];
  cluster.setupPrimary({ exec: fileURLToPath(import.meta.resolve('#worker')), args: [], execArgv, serialization: 'advanced' });
  logUnhandledRejections(logger);
  const stop = stopSignal();
  const workers = new Workers(order, count, logger);
  try {
    const url = await Promise.race([workers.start(), stop.then(() => null)]);
    if (url !== null) {
      logger.info({ event: 'listening', url, config_digest, workers: workers.pids });
      greet(url);
    }
  } catch (error) {
    await workers.stop('SIGTERM');
    throw error;
  }
  const signal = await stop;
  logger.info({ event: 'stopping', signal });
  const inOrder = await workers.stop(signal);
  logger.info({ event: 'stopped' });
  if (!inOrder) throw new CliError('a worker did not shut down cleanly; the next start ends its runs as error');
}
