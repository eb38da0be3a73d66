import { nextTurn } from '@svc/contracts';

const LARGE = 262_144;

/** Lets others have their turn between two pieces of work on a large answer; null for a small one, which does not wait. */
export function turnFor(text: string): Promise<void> | null {
  return text.length > LARGE ? nextTurn() : null;
}
