import { nextTurn } from '@svc/contracts';

const LARGE = 262_144;

/** A turn of the event loop for other work, between two steps on a large answer. Null for a small answer. */
export function turnFor(text: string): Promise<void> | null {
  return text.length > LARGE ? nextTurn() : null;
}
