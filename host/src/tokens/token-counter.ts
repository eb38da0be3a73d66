import { Piscina } from 'piscina';

/** With more texts waiting than this, counting would be late for all of them, so further ones are estimated from their length. */
const MAX_QUEUE = 512;

/** The thread with its tables takes 100 MB: it ends when idle for this long. */
const IDLE_TIMEOUT_MS = 60_000;

let thread: Piscina | undefined;

/**
 * Tokens of each text, counted in a thread, since loading the tables blocks an event loop for 200 ms. Rejects if too
 * many texts are waiting. Rejects, or never settles, if the thread dies.
 */
export async function countTokens(texts: readonly string[]): Promise<readonly number[]> {
  thread ??= new Piscina({
    filename: import.meta.resolve('#count-tokens'),
    minThreads: 0,
    maxThreads: 1,
    maxQueue: MAX_QUEUE,
    idleTimeout: IDLE_TIMEOUT_MS,
  }).on('error', () => undefined);
  return thread.run(texts);
}
