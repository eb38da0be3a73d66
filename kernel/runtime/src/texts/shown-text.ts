import type { Steps } from '@svc/contracts';
import type { Leaf, LeafHome } from './leaf.ts';

/** A text in the form that guards see. If no guard edits it, its bytes stay the same. `written`: converts an edited text to its written form. */
export function shownAs(shown: string, whole: Leaf, written: (edited: string) => string): Leaf {
  return new ShownText(shown, whole, written).leaf;
}

class ShownText implements LeafHome {
  readonly leaf: Leaf;
  readonly #shown: string;
  readonly #whole: Leaf;
  readonly #before: string;
  readonly #written: (edited: string) => string;

  constructor(shown: string, whole: Leaf, written: (edited: string) => string) {
    this.leaf = { ...whole, text: shown, home: this };
    this.#shown = shown;
    this.#whole = whole;
    this.#before = whole.text;
    this.#written = written;
  }

  write({ text }: Leaf): void {
    this.#whole.text = text === this.#shown ? this.#before : this.#written(text);
    this.#whole.home.write(this.#whole);
  }

  *flush(): Steps<LeafHome> {
    yield;
    return this.#whole.home;
  }
}
