import type { Finder } from './finder.ts';
import type { Found } from './found.ts';

/** One search in one streamed text. Offsets count from the start of the text. Calls must not overlap. */
export interface Search {
  /** Every finding that starts before this offset has been returned. Never decreases. */
  readonly certain: number;
  /**
   * Takes the next part of the text. `ended`: whether it is the last one. Returns the findings that have become certain. All findings together do not
   * depend on how the text is split.
   */
  advance(text: string, ended: boolean): readonly Found[] | Promise<readonly Found[]>;
}

/** Starts a search in a new text. */
export function searchWith(finder: Finder): Search {
  return new FinderSearch(finder);
}

/**
 * Uncertain text is searched again later. So a long rest is searched only when at least this fraction of it may become certain. Then each character
 * is searched only a few times, however many pieces the text arrives in.
 */
const CERTAIN = 1 / 4;
/** A rest of up to this many code units is searched with each piece. */
const SHORT = 16;

/** A rest of up to this many code units gets the quick test for plain text. */
export const MAX_PLAIN = 64;

const NONE: readonly Found[] = [];

class FinderSearch implements Search {
  certain = 0;
  readonly #finder: Finder;
  /** Text that is not certain yet. */
  #rest = '';
  /** Text before the rest. `#near` is passed to the quick test. `#far` comes before that, and may still matter to the finder. */
  #near = '';
  #far = '';

  constructor(finder: Finder) {
    this.#finder = finder;
  }

  advance(text: string, ended: boolean): readonly Found[] | Promise<readonly Found[]> {
    this.#rest += text;
    const { plain } = this.#finder;
    if (plain !== undefined && !ended && this.#rest.length <= MAX_PLAIN) {
      const from = this.#near.length;
      const open = plain.openFrom(this.#near + this.#rest, from);
      if (open !== null) {
        this.#pass(open - from);
        return NONE;
      }
    }
    return this.#search(ended);
  }

  #search(ended: boolean): readonly Found[] | Promise<readonly Found[]> {
    const before = this.#far + this.#near;
    const from = Math.min(before.length, this.#finder.context);
    const seen = before.slice(before.length - from) + this.#rest;
    const end = seen.length;
    const open = ended ? end : Math.max(this.#finder.openFrom(seen, from), end - this.#finder.reach);
    if (open <= from || !(ended || isWorth(open - from, end - open))) return NONE;
    const found = this.#finder.find(seen, from);
    return found instanceof Promise ? found.then((later) => this.#settle(later, from, open)) : this.#settle(found, from, open);
  }

  /** @param from where the uncertain text begins in the text that was searched */
  #settle(found: readonly Found[], from: number, open: number): readonly Found[] {
    const base = this.certain - from;
    this.#pass(open - from);
    return found
      .filter(({ start }) => start >= from && start < open)
      .map((finding) => ({ ...finding, start: finding.start + base, end: finding.end + base }));
  }

  /** Marks this much of the rest as certain. */
  #pass(length: number): void {
    if (length <= 0) return;
    this.certain += length;
    const { context, plain } = this.#finder;
    const near = this.#near + this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    const cut = Math.max(0, near.length - (plain?.before ?? 0));
    this.#near = near.slice(cut);
    const far = this.#far + near.slice(0, cut);
    // Trimmed only from time to time, so that a long context is not copied with each piece.
    this.#far = far.length > 2 * context ? far.slice(far.length - context) : far;
  }
}

function isWorth(certain: number, rest: number): boolean {
  return rest <= SHORT || certain >= rest * CERTAIN;
}
