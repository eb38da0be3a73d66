import type { Finder } from './finder.ts';
import type { Found } from './found.ts';

/** One search in one streamed text. Offsets count from the start of the text. Calls must not overlap. */
export interface Search {
  /** Every finding that starts before this offset has been returned. Never decreases. */
  readonly certain: number;
  /**
   * Takes what comes next; `ended`: nothing comes after it. Answers with what is certain now and was not before, the same in all however
   * the text was cut.
   */
  advance(text: string, ended: boolean): readonly Found[] | Promise<readonly Found[]>;
}

/** Starts a search in a new text. */
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

/** Code units of a rest that is shown to what knows a plain text. */
export const MAX_PLAIN = 64;

const NONE: readonly Found[] = [];

class FinderSearch implements Search {
  certain = 0;
  readonly #finder: Finder;
  /** What is not certain. */
  #rest = '';
  /** Before it: as much as is looked at each time, and before that at least what may still matter. */
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

  /** @param from where what was not certain begins in the text in which that was found */
  #settle(found: readonly Found[], from: number, open: number): readonly Found[] {
    const base = this.certain - from;
    this.#pass(open - from);
    return found
      .filter(({ start }) => start >= from && start < open)
      .map((finding) => ({ ...finding, start: finding.start + base, end: finding.end + base }));
  }

  /** So much of the rest is certain now. */
  #pass(length: number): void {
    if (length <= 0) return;
    this.certain += length;
    const { context, plain } = this.#finder;
    const near = this.#near + this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    const cut = Math.max(0, near.length - (plain?.before ?? 0));
    this.#near = near.slice(cut);
    const far = this.#far + near.slice(0, cut);
    // Not with each piece, so that a long context is not copied each time.
    this.#far = far.length > 2 * context ? far.slice(far.length - context) : far;
  }
}

function isWorth(certain: number, rest: number): boolean {
  return rest <= SHORT || certain >= rest * CERTAIN;
}
