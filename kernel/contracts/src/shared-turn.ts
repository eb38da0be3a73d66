import { FairTurns } from './fair-turns.ts';

/** How long all streams together may hold one iteration of the event loop. */
const TURN_MS = 5;

/** When the streams began to work in this iteration; null if they did not yet. */
let began: number | null = null;

/** In each iteration one waiting stream continues. */
const turns = new FairTurns();

/**
 * Asked before each piece of a stream. One packet of an upstream may hold a thousand small events, and fifty streams may get one at the same
 * time; without a limit all of them would be processed before other work gets a turn. Undefined while there is time left.
 * @param principal_id whose stream it is, where that is known
 */
export function turnOfStream(principal_id = ''): Promise<void> | undefined {
  if (began === null) {
    began = performance.now();
    setImmediate(() => {
      began = null;
    });
    return undefined;
  }
  return performance.now() - began < TURN_MS ? undefined : turns.next(principal_id);
}
