import { nextTurn } from '@svc/contracts';
import type { Payload } from './index.ts';

/** Collecting so many leaves, or showing them to a node, takes some milliseconds. */
const MANY_LEAVES = 2_000;

/**
 * Yields to the event loop before a node is asked about many texts, so that several steps do not add up to one long block. `principal_id`: whose texts they are. Null for few texts.
 */
export function turnFor({ leaves }: Payload, principal_id: string): Promise<void> | null {
  return leaves.length > MANY_LEAVES ? nextTurn(principal_id) : null;
}
