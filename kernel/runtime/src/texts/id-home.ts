import { randomBytes } from 'node:crypto';
import type { Steps } from '@svc/contracts';
import type { Leaf, LeafHome } from './leaf.ts';

/**
 * All places of one tool-call id. An edit of one of them gives all of them a new id, so that calls and results stay linked. The new id is not
 * mapped back: the client keeps it, and the id of a request is used in that request only.
 */
export class IdHome implements LeafHome {
  readonly #places: { readonly seen: Leaf; readonly own: Leaf }[] = [];

  /** @returns the leaf that guards see instead of this one */
  add(own: Leaf): Leaf {
    const seen = { ...own, home: this };
    this.#places.push({ seen, own });
    return seen;
  }

  /** The edited text is not used: the new id reveals nothing of the masked text, and has the form of an id. */
  write(): void {}

  *flush(): Steps<null> {
    const id = newCallId();
    for (const { seen, own } of this.#places) {
      seen.text = id;
      own.text = id;
      own.home.write(own);
      yield;
    }
    return null;
  }
}

const LETTERS = 'bcdfghjkmnpqrstvwxz';

/** Nine characters, as Mistral requires. Letters and digits alternate, so that no guard takes it for a name or a number. */
function newCallId(): string {
  return Array.from(randomBytes(9), (byte, at) => (at % 2 === 0 ? LETTERS[byte % LETTERS.length] : byte % 10)).join('');
}
