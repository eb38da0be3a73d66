import type { Logger } from 'pino';
import { logUnhandledRejections } from '../process/unhandled-rejections.ts';
import { reloadSignal, stopSignal } from './stop-signal.ts';
import { Watchdog } from './watchdog.ts';

/** How a server is stopped, and how it is ended if it does not stop. */
export interface Lifetime {
  /** Resolves to the reason for the shutdown. */
  readonly stop: Promise<string>;
  /** Sets the listener for SIGHUP, which asks the server to read the configuration again. */
  readonly onReload: (reload: () => void) => void;
  readonly watchdog: Pick<Watchdog, 'arm'>;
}

/** The lifetime of a process that only serves. */
export function lifetimeOfProcess(logger: Logger, stop = stopSignal(), onReload = reloadSignal()): Lifetime {
  logUnhandledRejections(logger);
  return { stop, onReload, watchdog: new Watchdog() };
}
