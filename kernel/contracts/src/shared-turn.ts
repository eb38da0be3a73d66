import { FairTurns } from './fair-turns.ts';

/** How long all streams together may block one iteration of the event loop. */
const TURN_MS = 5;

/** When the first stream started to work in this iteration. Null if none has yet. */
let began: number | null = null;

const turns = new FairTurns();

/**
 * Call this before each piece of a stream. Returns undefined while there is time left in this iteration; otherwise a promise to wait for. A single
 * packet of an upstream may contain a thousand small events, and fifty streams may get one at the same time. Without a limit, all of them would be
 * processed before any other work.
 * @param principal_id the principal of the stream, if it is known
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
