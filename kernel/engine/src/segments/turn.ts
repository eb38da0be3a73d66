import { nextTurn } from '@svc/contracts';
import type { Payload } from './index.ts';

/** To collect so many leaves, or to show them to a node, takes some milliseconds. */
const MANY_LEAVES = 2_000;

/**
 * Lets others run before a node is asked about many texts: what comes before and after it must not add up to one long hold of the loop. Null
 * for few.
 */
export function turnFor({ leaves }: Payload): Promise<void> | null {
  return leaves.length > MANY_LEAVES ? nextTurn() : null;
}
