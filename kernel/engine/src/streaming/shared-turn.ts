import { setImmediate as nextIteration } from 'node:timers/promises';

/** How long all streams together may hold one iteration of the event loop. */
const TURN_MS = 5;

/** When the streams began to work in this iteration; null before. */
let began: number | null = null;

/** Ends with the turn of whoever asked last. */
let lastTurn: Promise<void> = Promise.resolve();

/**
 * Asked before each piece of a stream: what an upstream sends in one packet may be a thousand small events, and fifty streams may be sent one at
 * once, which would all be worked on before anybody else has a turn. Undefined while there is time left.
 */
export function turnOfStream(): Promise<void> | undefined {
  if (began === null) {
    began = performance.now();
    setImmediate(() => {
      began = null;
    });
    return undefined;
  }
  return performance.now() - began < TURN_MS ? undefined : waitForTurn();
}

/** One that waits goes on in each iteration. */
async function waitForTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextIteration());
  await lastTurn;
}
