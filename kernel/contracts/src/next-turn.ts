import { FairTurns } from './fair-turns.ts';

const turns = new FairTurns();

/**
 * Yields to the event loop between two steps of long work. One waiting task resumes per iteration of the event loop. With `setImmediate` alone, all
 * waiting tasks would resume in the same iteration, so the steps of fifty requests would add up.
 * @param principal_id the principal that the work is for. Principals take turns: fifty requests of one principal delay another no more than a single
 * request does
 */
export function nextTurn(principal_id = ''): Promise<void> {
  return turns.next(principal_id);
}
