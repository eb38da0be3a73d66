import type { Matcher, Search, Span } from './matcher.ts';
import { Starts } from './starts.ts';

/** Finds one thing in a given text. Keeps no state between calls. */
export interface Finder {
  /** Code units from a match's start to the end of all that can matter to it: its own, and those of one character after it. */
  readonly reach: number;
  /** Matches that start at `from` or after, from left to right, without overlap, lazily. One character before `from` may matter. */
  find(text: string, from: number): Iterable<Span>;
  /**
   * Where the first match may begin, at `from` or after, that more text would make, end or prevent; the text's length if there is none.
   * The higher, the less a stream holds back; `from` is always right.
   */
  openFrom(text: string, from: number): number;
}

/** How many starts one window decides, in code units, where the text has as many. */
interface Stride {
  readonly least: number;
  readonly most: number;
}

/** Long texts are searched in such pieces, so that others get their turn: 1 to 5 ms of RE2. */
const MAX_STEPS = 250_000;
const MAX_PIECE = 65_536;

/** What is held back is looked at again when it has grown by this part of it, so that each character is looked at a few times and no more. */
const GROWTH = 1 / 4;

/** Code units of a piece that may be a token of a stream. */
const SHORT = 64;

/** Most code units of one character. */
export const CHARACTER = 2;

/** Code units of the character at an offset. */
export function characterAt(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}

/** Whether a code unit is the first half of a surrogate pair. */
export function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Whole texts come out as with one search from end to end, because no match is longer than `reach`. */
export function exactMatcher(finder: Finder, cost: number, test: Matcher['test']): Matcher {
  // Each window is read from its first start to `reach` after its last: a sixteenth of that at least is new, a quarter where there is enough.
  const least = 1 + Math.floor(finder.reach / 16);
  const most = Math.max(least, finder.reach / 4, Math.min(MAX_PIECE, MAX_STEPS / cost));
  const stride = { least, most: Math.floor(most) };
  const starts = new Starts(finder);
  return { streams: finder.reach < Infinity, cost, test, search: () => new WindowSearch(finder, starts, stride, true) };
}

/**
 * For what may match without bound. The places of the windows follow from the text alone, so that a match longer than `longest` is
 * found in the same pieces, or not, however the text was cut.
 */
export function boundedMatcher(finder: Finder, cost: number): Matcher {
  const longest = finder.reach - CHARACTER;
  const starts = new Starts(finder);
  return {
    streams: true,
    cost,
    // A window may end in the middle of what the pattern asks for, and hold what the whole text does not.
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
  /** The first start that the next window decides: not after `at`. */
  #next = 0;
  /** How long the whole must be before what is held is looked at again. */
  #due = 0;

  /** `exact`: no match is longer than the finder's reach, so any stretch of the text may be a window. */
  constructor(finder: Finder, starts: Starts, stride: Stride, exact: boolean) {
    this.#finder = finder;
    this.#starts = starts;
    this.#stride = stride;
    this.#exact = exact;
  }

  advance(text: string, ended: boolean): Iterable<Span | null> {
    const isQuiet = this.at === this.#end && !ended && text.length <= SHORT && !this.#starts.areIn(text);
    this.#text += text;
    // Where windows begin follows from the text alone, unless no match is longer than one.
    if (!isQuiet || !(this.#exact || this.#edge() === null)) return this.#search(ended);
    // Most pieces of a stream: nothing was held back, and nothing begins in them.
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

  /** Where the starts end that the next window decides; null if it would need more text. */
  #edge(): number | null {
    const { least, most } = this.#stride;
    // An edge and the cut after it may each move by one, so as to halve no pair.
    const starts = Math.min(most, this.#end - this.#next - this.#finder.reach - CHARACTER);
    return starts < least ? null : this.#whole(this.#next + starts);
  }

  /** Finds what starts before `edge` in the text up to `cut`. */
  *#window(edge: number, cut: number): Generator<Span> {
    let next = edge;
    for (const { start, end } of this.#found(this.#next, cut)) {
      if (start >= edge) break;
      // What reaches the cut may be a piece of something longer, or not even that: what overlaps it is still looked for.
      next = Math.max(edge, end < cut || this.#exact ? end : edge);
      yield { start, end };
    }
    this.at = Math.max(this.at, next);
    this.#keep(next);
  }

  /** Of the text before the first start that the next window decides, one character. */
  #keep(next: number): void {
    this.#next = next;
    const kept = Math.max(this.#base, next - CHARACTER);
    this.#text = this.#text.slice(kept - this.#base);
    this.#base = kept;
  }

  /** Goes on as far as no text to come changes anything. */
  *#look(): Generator<Span> {
    const known = this.#end - (isHigh(this.#text.charCodeAt(this.#text.length - 1)) ? 1 : 0);
    const from = Math.max(this.#base, this.at - CHARACTER);
    const open = from + this.#finder.openFrom(this.#text.slice(from - this.#base, known - this.#base), this.at - from);
    if (open > this.at && this.#exact) yield* this.#window(open, known);
    else if (open > this.at) {
      // Where windows begin follows from the text alone: what is found waits for its window.
      const [first] = this.#found(this.at, known);
      this.at = Math.min(open, first?.start ?? open);
    }
    this.#due = this.#end + Math.floor((this.#end - this.at) * GROWTH);
  }

  /** What is found in the text up to `cut`, from a start on that is no part of a match. */
  *#found(at: number, cut: number): Generator<Span> {
    const from = Math.max(this.#base, at - CHARACTER);
    const view = this.#text.slice(from - this.#base, cut - this.#base);
    for (const { start, end } of this.#finder.find(view, at - from)) yield { start: from + start, end: from + end };
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
