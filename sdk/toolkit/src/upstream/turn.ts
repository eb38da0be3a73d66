import { nextTurn } from '@svc/contracts';

const LARGE = 262_144;

/** Lets others have their turn between two pieces of work on a large answer; a small one does not wait. */
export async function turnFor(text: string): Promise<void> {
  if (text.length > LARGE) await nextTurn();
}
