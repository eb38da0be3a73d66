import { FairTurns } from './fair-turns.ts';

const turns = new FairTurns();

/**
 * Yields to the event loop between two steps of long work. One waiting task resumes per iteration of the event loop: with `setImmediate` alone
 * all of them resume in the same iteration, so the steps of fifty requests would add up.
 * @param principal_id whose work it is: fifty requests of one principal cost another one no more than one does
 */
export function nextTurn(principal_id = ''): Promise<void> {
  return turns.next(principal_id);
}
