/** Ends with the turn of whoever asked last. */
let lastTurn: Promise<void> = Promise.resolve();

/**
 * Yields to the event loop between two steps of long work. One waiting task resumes per iteration of the event loop: with `setImmediate` alone
 * all of them resume in the same iteration, so the steps of fifty requests would add up.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => void setImmediate(resolve)));
  return lastTurn;
}
