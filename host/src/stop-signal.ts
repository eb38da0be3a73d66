/**
 * Resolves to the first signal that asks the process to stop. Later ones change nothing: on Ctrl-C a terminal and npm both send one, and
 * the second must not end the process before its runs have their evidence.
 */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => resolve(name));
  });
}
