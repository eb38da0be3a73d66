import type { Matcher, Search, Span } from './matcher.ts';

/** Finds one thing in a text that is there. Keeps nothing between calls. */
export interface Finder {
  /** Code units from a match's start to the end of all that can matter to it: its own, and those of one character after it. */
  readonly reach: number;
  /** Matches that start at `from` or after, from left to right, without overlap, lazily. One character before `from` may matter. */
  find(text: string, from: number): Iterable<Span>;
}

/** How many starts one window decides, in code units, where the text has as many. */
interface Stride {
  readonly least: number;
  readonly most: number;
}

/** Long texts are searched in such pieces, so that others get their turn: 1 to 5 ms of RE2. */
const MAX_STEPS = 250_000;
const MAX_PIECE = 65_536;

/** Most code units of one character. */
export const CHARACTER = 2;

/** Whole texts come out as with one search from end to end, because no match is longer than `reach`. */
export function exactMatcher(finder: Finder, cost: number, test: Matcher['test']): Matcher {
  // Each window is read from its first start to `reach` after its last: a sixteenth of that at least is new, a quarter where there is enough.
  const least = 1 + Math.floor(finder.reach / 16);
  const most = Math.max(least, finder.reach / 4, Math.min(MAX_PIECE, MAX_STEPS / cost));
  const stride = { least, most: Math.floor(most) };
  return { streams: finder.reach < Infinity, cost, test, search: () => new WindowSearch(finder, stride) };
}

/**
 * For what may match without bound. The places of the windows follow from the text alone, so that a match longer than `longest` is
 * found in the same pieces, or not, however the text was cut.
 */
export function boundedMatcher(find: Finder['find'], longest: number, cost: number): Matcher {
  return {
    streams: true,
    cost,
    // A window may end in the middle of what the pattern asks for, and hold what the whole text does not.
    test: () => true,
    search: () => new WindowSearch({ find, reach: longest + CHARACTER }, { least: longest, most: longest }),
  };
}

class WindowSearch implements Search {
  at = 0;
  readonly #finder: Finder;
  readonly #stride: Stride;
  #text = '';
  /** Where `#text` begins in the whole. */
  #base = 0;

  constructor(finder: Finder, stride: Stride) {
    this.#finder = finder;
    this.#stride = stride;
  }

  *advance(text: string, ended: boolean): Generator<Span | null> {
    this.#text += text;
    for (let edge = this.#edge(); edge !== null; edge = this.#edge()) {
      yield* this.#window(edge, this.#whole(edge + this.#finder.reach));
      yield null;
    }
    if (ended) yield* this.#window(this.#end, this.#end);
  }

  /** Where the starts end that the next window decides; null where it would need more text. */
  #edge(): number | null {
    const { least, most } = this.#stride;
    // An edge and the cut after it may each move by one, so as to halve no pair.
    const starts = Math.min(most, this.#end - this.at - this.#finder.reach - CHARACTER);
    return starts < least ? null : this.#whole(this.at + starts);
  }

  /** Finds what starts before `edge` in the text up to `cut`. */
  *#window(edge: number, cut: number): Generator<Span> {
    const from = Math.max(this.#base, this.at - CHARACTER);
    const view = this.#text.slice(from - this.#base, cut - this.#base);
    let next = edge;
    for (const { start, end } of this.#finder.find(view, this.at - from)) {
      if (from + start >= edge) break;
      // What reaches the cut may be a piece of something longer, or not even that: what overlaps it is still looked for.
      next = Math.max(edge, from + end < cut ? from + end : edge);
      yield { start: from + start, end: from + end };
    }
    this.at = next;
    const kept = Math.max(this.#base, next - CHARACTER);
    this.#text = this.#text.slice(kept - this.#base);
    this.#base = kept;
  }

  get #end(): number {
    return this.#base + this.#text.length;
  }

  /** The offset itself, or the next one where it halves a surrogate pair. */
  #whole(offset: number): number {
    const before = offset - this.#base - 1;
    return (this.#text.codePointAt(before) ?? 0) > 0xffff ? offset + 1 : offset;
  }
}
