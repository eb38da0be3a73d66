import { Piscina } from 'piscina';

/** If more texts than this are waiting, counting would be late for all of them. So further texts are estimated from their length. */
const MAX_QUEUE = 512;

/** The thread with its tables takes 100 MB, so it ends when it has been idle for this long. */
const IDLE_TIMEOUT_MS = 60_000;

let thread: Piscina | undefined;

/**
 * The number of tokens of each text. They are counted in a thread, because loading the tables blocks an event loop for 200 ms. Rejects if too many
 * texts are waiting. Rejects, or never settles, if the thread dies.
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
