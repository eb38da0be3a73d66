import type { Logger } from 'pino';
import { logUnhandledRejections } from '../process/unhandled-rejections.ts';
import { reloadSignal, stopSignal } from './stop-signal.ts';
import { Watchdog } from './watchdog.ts';

/** How what serves is told to end, and ended where it does not. */
export interface Lifetime {
  /** Resolves to why it is to end. */
  readonly stop: Promise<string>;
  /** Names who is to be told, on SIGHUP, that the configuration is to be read again. */
  readonly onReload: (reload: () => void) => void;
  readonly watchdog: Pick<Watchdog, 'arm'>;
}

/** That of a whole process, which serves and does nothing else. */
export function lifetimeOfProcess(logger: Logger, stop = stopSignal(), onReload = reloadSignal()): Lifetime {
  logUnhandledRejections(logger);
  return { stop, onReload, watchdog: new Watchdog() };
}
