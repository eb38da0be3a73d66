/** Ends with the turn of whoever asked last. */
let lastTurn: Promise<void> = Promise.resolve();

/**
 * Lets others run between two pieces of long work. Of all that wait, one goes on in each iteration of the event loop: `setImmediate` alone
 * lets all of them go on in the same one, so that the pieces of fifty requests would add up.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => void setImmediate(resolve)));
  return lastTurn;
}
