import type { Finder } from './finder.ts';
import type { Found } from './found.ts';

/** One search in one text that comes in pieces. Offsets are counted from the text's beginning. Calls come one at a time. */
export interface Search {
  /** Every finding that starts before this offset was given. Only grows. */
  readonly certain: number;
  /**
   * Takes what comes next; `ended`: nothing comes after it. Answers with what is certain now and was not before, the same in all however
   * the text was cut.
   */
  advance(text: string, ended: boolean): readonly Found[] | Promise<readonly Found[]>;
}

/** Begins with a new text. */
export function searchWith(finder: Finder): Search {
  return new FinderSearch(finder);
}

/**
 * What stays uncertain is searched again later, so a long rest is searched only where at least this part of it becomes certain: then each
 * character is searched a few times, in however many pieces it came.
 */
const CERTAIN = 1 / 4;
/** Code units of a rest that is searched with each piece. */
const SHORT = 16;

class FinderSearch implements Search {
  certain = 0;
  readonly #finder: Finder;
  /** What is not certain, and before it what may still matter to that. */
  #text = '';
  /** Where `#text` begins in the whole. */
  #base = 0;

  constructor(finder: Finder) {
    this.#finder = finder;
  }

  advance(text: string, ended: boolean): readonly Found[] | Promise<readonly Found[]> {
    this.#text += text;
    const end = this.#base + this.#text.length;
    const from = this.certain - this.#base;
    const open = ended ? end : Math.max(this.#base + this.#finder.openFrom(this.#text, from), end - this.#finder.reach);
    if (open <= this.certain || !(ended || isWorth(open - this.certain, end - open))) return [];
    const found = this.#finder.find(this.#text, from);
    return found instanceof Promise ? found.then((later) => this.#settle(later, open)) : this.#settle(found, open);
  }

  #settle(found: readonly Found[], open: number): Found[] {
    const base = this.#base;
    const fresh = found
      .filter(({ start }) => start + base >= this.certain && start + base < open)
      .map((finding) => ({ ...finding, start: finding.start + base, end: finding.end + base }));
    this.certain = open;
    const kept = Math.max(base, open - this.#finder.context);
    this.#text = this.#text.slice(kept - base);
    this.#base = kept;
    return fresh;
  }
}

function isWorth(certain: number, rest: number): boolean {
  return rest <= SHORT || certain >= rest * CERTAIN;
}
