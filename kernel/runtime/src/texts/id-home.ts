import { randomBytes } from 'node:crypto';
import type { Steps } from '@svc/contracts';
import type { Leaf, LeafHome } from './leaf.ts';

/**
 * All places of one tool-call id. If one of them is edited, all get a new id, so that calls and results stay linked. The new id is never mapped back.
 * In an answer, the client keeps the new id. In a request, the new id is used only for that request.
 */
export class IdHome implements LeafHome {
  readonly #places: { readonly seen: Leaf; readonly own: Leaf }[] = [];

  /** @returns the leaf that guards see instead of this one */
  add(own: Leaf): Leaf {
    const seen = { ...own, home: this };
    this.#places.push({ seen, own });
    return seen;
  }

  /** Ignores the edited text. A random id reveals nothing of the masked text, and has the form of an id. */
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

/** Nine characters, as Mistral requires. Letters and digits alternate, so that guards do not mistake the id for a name or a number. */
function newCallId(): string {
  return Array.from(randomBytes(9), (byte, at) => (at % 2 === 0 ? LETTERS[byte % LETTERS.length] : byte % 10)).join('');
}
