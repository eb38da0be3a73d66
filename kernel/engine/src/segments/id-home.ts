import { randomBytes } from 'node:crypto';
import type { Leaf, LeafHome } from './leaf.ts';

/**
 * All places of one tool call's id. What edits one of them gives all a new id, so that calls and results stay together. Nothing has to be mapped
 * back: the client keeps the new id, and an id of a request is known to nobody but that request.
 */
export class IdHome implements LeafHome {
  readonly #places: { readonly seen: Leaf; readonly own: Leaf }[] = [];

  /** @returns the leaf that guards see in the place of this one */
  add(own: Leaf): Leaf {
    const seen = { ...own, home: this };
    this.#places.push({ seen, own });
    return seen;
  }

  /** What stands in its place says nothing of what was masked, and has the form of an id: so the new text is not used. */
  write(): void {}

  flush(): null {
    const id = newCallId();
    for (const { seen, own } of this.#places) {
      seen.text = id;
      own.text = id;
      own.home.write(own);
    }
    return null;
  }
}

const LETTERS = 'bcdfghjkmnpqrstvwxz';

/** Nine characters, which Mistral asks for. Letters and digits take turns, so that no guard takes it for a name or a number. */
function newCallId(): string {
  return Array.from(randomBytes(9), (byte, at) => (at % 2 === 0 ? LETTERS[byte % LETTERS.length] : byte % 10)).join('');
}
