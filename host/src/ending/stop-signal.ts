/** A closed terminal sends SIGHUP. There is nothing to reload yet. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves to the first signal to stop. Later ones change nothing: on Ctrl-C a terminal and npm both send one, and the second must not end
 * the process before its runs have their evidence.
 */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of STOP_SIGNALS) process.on(name, () => resolve(name));
  });
}
