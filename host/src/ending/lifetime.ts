import type { Logger } from 'pino';
import { logUnhandledRejections } from '../process/unhandled-rejections.ts';
import { stopSignal } from './stop-signal.ts';
import { Watchdog } from './watchdog.ts';

/** How what serves is told to end, and ended where it does not. */
export interface Lifetime {
  /** Resolves to why it is to end. */
  readonly stop: Promise<string>;
  readonly watchdog: Pick<Watchdog, 'arm'>;
}

/** That of a whole process, which serves and does nothing else. */
export function lifetimeOfProcess(logger: Logger, stop = stopSignal()): Lifetime {
  logUnhandledRejections(logger);
  return { stop, watchdog: new Watchdog() };
}
