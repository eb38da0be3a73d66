import type { Finder } from './finder.ts';
import type { Matcher, Search, Span } from './matcher.ts';
import { Starts } from './starts.ts';

/** How many starts one window decides, in code units: `most` if there is enough text, and at least `least`. */
interface Stride {
  readonly least: number;
  readonly most: number;
}

/** Long texts are searched in windows of this many steps, so that other runs get their turn: 1 to 5 ms of RE2. */
const MAX_STEPS = 250_000;
const MAX_PIECE = 65_536;

/** Held text is searched again when it has grown by this fraction, so that each character is searched only a few times. */
const GROWTH = 1 / 4;

/** Maximum number of code units of a piece that may be a token of a stream. */
const SHORT = 64;

/** Maximum code units of a character. */
export const CHARACTER = 2;

/** Code units of the character at an offset. */
export function characterAt(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}

/** Whether a code unit is the first half of a surrogate pair. */
export function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** For matches of at most `reach`. Whole texts give the same result as a single search. */
export function exactMatcher(finder: Finder, cost: number, test: Matcher['test']): Matcher {
  // Each window covers all starts that it tests, and `reach` characters after the last of them. At least a sixteenth of a window is new
  // text, or a quarter if enough text is available.
  const least = 1 + Math.floor(finder.reach / 16);
  const most = Math.max(least, finder.reach / 4, Math.min(MAX_PIECE, MAX_STEPS / cost));
  const stride = { least, most: Math.floor(most) };
  const starts = new Starts(finder);
  return { streams: finder.reach < Infinity, cost, test, search: () => new WindowSearch(finder, starts, stride, true) };
}

/**
 * For matches of any length. The windows depend only on the text. So a match that is longer than `longest` is found in the same pieces, or not at
 * all, however the text is split.
 */
export function boundedMatcher(finder: Finder, cost: number): Matcher {
  const longest = finder.reach - CHARACTER;
  const starts = new Starts(finder);
  return {
    streams: true,
    cost,
    // A window may end in the middle of a match, and so match although the whole text does not.
    test: () => true,
    search: () => new WindowSearch(finder, starts, { least: longest, most: longest }, false),
  };
}

const NONE: readonly Span[] = [];

class WindowSearch implements Search {
  at = 0;
  readonly #finder: Finder;
  readonly #starts: Starts;
  readonly #stride: Stride;
  readonly #exact: boolean;
  #text = '';
  /** The offset of `#text` in the whole text. */
  #base = 0;
  /** The first start that the next window decides. At most `at`. */
  #next = 0;
  /** The length of the whole text at which held text is searched again. */
  #due = 0;

  /** @param exact no match is longer than the finder's reach, so a window may begin anywhere */
  constructor(finder: Finder, starts: Starts, stride: Stride, exact: boolean) {
    this.#finder = finder;
    this.#starts = starts;
    this.#stride = stride;
    this.#exact = exact;
  }

  advance(text: string, ended: boolean): Iterable<Span | null> {
    const isQuiet = this.at === this.#end && !ended && text.length <= SHORT && !this.#starts.areIn(text);
    this.#text += text;
    // The start of a window must depend only on the text, unless every match fits into one window.
    if (!isQuiet || !(this.#exact || this.#edge() === null)) return this.#search(ended);
    // This is the case for most pieces of a stream: nothing was held back, and nothing begins in this piece.
    this.at = this.#end;
    if (this.#exact) this.#keep(this.at);
    return NONE;
  }

  *#search(ended: boolean): Generator<Span | null> {
    for (let edge = this.#edge(); edge !== null; edge = this.#edge()) {
      yield* this.#window(edge, this.#whole(edge + this.#finder.reach));
      yield null;
    }
    if (ended) yield* this.#window(this.#end, this.#end);
    else if (this.#end >= this.#due) yield* this.#look();
  }

  /** The end of the starts that the next window decides. Null if the window needs more text. */
  #edge(): number | null {
    const { least, most } = this.#stride;
    // The edge and the cut may each move by one, to avoid splitting a surrogate pair.
    const starts = Math.min(most, this.#end - this.#next - this.#finder.reach - CHARACTER);
    return starts < least ? null : this.#whole(this.#next + starts);
  }

  /** Finds matches that start before `edge`, in the text up to `cut`. */
  *#window(edge: number, cut: number): Generator<Span> {
    let next = edge;
    for (const { start, end } of this.#found(this.#next, cut)) {
      if (start >= edge) break;
      // A match that reaches the cut may be incomplete or wrong, so text that it overlaps is searched as well.
      next = Math.max(edge, end < cut || this.#exact ? end : edge);
      yield { start, end };
    }
    this.at = Math.max(this.at, next);
    this.#keep(next);
  }

  /** Keeps one character before the first start that the next window decides. */
  #keep(next: number): void {
    this.#next = next;
    const kept = Math.max(this.#base, next - CHARACTER);
    this.#text = this.#text.slice(kept - this.#base);
    this.#base = kept;
  }

  /** Searches the text whose result can no longer change. */
  *#look(): Generator<Span> {
    const known = this.#end - (isHigh(this.#text.charCodeAt(this.#text.length - 1)) ? 1 : 0);
    const from = Math.max(this.#base, this.at - CHARACTER);
    const open = from + this.#finder.openFrom(this.#text.slice(from - this.#base, known - this.#base), this.at - from);
    if (open > this.at && this.#exact) yield* this.#window(open, known);
    else if (open > this.at) {
      // Stops before the first match. It is reported with its window, which must not depend on how the text was split.
      const [first] = this.#found(this.at, known);
      this.at = Math.min(open, first?.start ?? open);
    }
    this.#due = this.#end + Math.floor((this.#end - this.at) * GROWTH);
  }

  /** Matches in the text up to `cut`, from a start that is not inside a match. */
  *#found(at: number, cut: number): Generator<Span> {
    const from = Math.max(this.#base, at - CHARACTER);
    const view = this.#text.slice(from - this.#base, cut - this.#base);
    for (const { start, end } of this.#finder.find(view, at - from)) yield { start: from + start, end: from + end };
  }

  get #end(): number {
    return this.#base + this.#text.length;
  }

  /** The offset, or the next one if it would split a surrogate pair. */
  #whole(offset: number): number {
    const before = offset - this.#base - 1;
    return (this.#text.codePointAt(before) ?? 0) > 0xffff ? offset + 1 : offset;
  }
}
