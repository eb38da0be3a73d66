import { isatty } from 'node:tty';

/** A terminal that is closed sends SIGHUP to its processes. Elsewhere, SIGHUP asks the server to read the configuration again. */
const IS_IN_TERMINAL = [0, 1, 2].some((stream) => isatty(stream));

const STOP_SIGNALS: readonly NodeJS.Signals[] = IS_IN_TERMINAL ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];

/**
 * Resolves to the first signal to stop. Later ones are ignored: on Ctrl-C, both the terminal and npm send one, and the second must not end the
 * process before the evidence of its runs is written.
 */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of STOP_SIGNALS) process.on(name, () => resolve(name));
  });
}

/** Handles SIGHUP from now on. Returns a function that sets the listener. If a signal has arrived before, the listener is called for it as well. */
export function reloadSignal(): (reload: () => void) => void {
  const begun = Promise.withResolvers<() => void>();
  if (!IS_IN_TERMINAL) process.on('SIGHUP', () => void begun.promise.then((reload) => reload()));
  return begun.resolve;
}
