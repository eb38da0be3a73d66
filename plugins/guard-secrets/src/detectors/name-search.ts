import { type Detector, type Hit, type QuickSearch, Search } from './detector.ts';
import { Pairs } from './pairs.ts';
import { wordStart } from './searches.ts';
import { words } from './shape.ts';

/** Searches a text for the values of several detectors that must follow one of the same names. The names are searched once for all. */
export class NameSearch implements QuickSearch {
  readonly context: number;
  readonly reach: number;
  readonly #searches: readonly Search[];
  /** Characters 0 and 1, and 1 and 2, of the names in small and capital letters. */
  readonly #starts: Pairs;
  readonly #seconds: Pairs;
  readonly #name: RegExp;
  readonly #begun: RegExp;

  /** The names, of at least two code units each. The text before a secret of these detectors begins with one of them, in any case. */
  constructor(names: readonly string[], detectors: readonly Detector[]) {
    this.#searches = detectors.map((detector) => new Search(detector));
    this.context = Math.max(...this.#searches.map(({ context }) => context));
    this.reach = Math.max(...this.#searches.map(({ reach }) => reach));
    this.#starts = new Pairs(names.flatMap((name) => inEachCase(name.slice(0, 2))));
    this.#seconds = new Pairs(names.flatMap((name) => inEachCase(name.slice(1, 3))));
    this.#name = new RegExp(words(...names).whole, 'iy');
    const begun = this.#searches.map(
      ({ start, detector }) => `(?<=${start}${detector.before?.whole ?? ''})${detector.secret.begun}`,
    );
    this.#begun = new RegExp(begun.join('|'), 'gi');
  }

  /** The hits that start at `from` or later, from left to right. If two start at the same place, that of the first detector comes first. */
  *hits(text: string, from: number): Generator<Hit> {
    let found: Hit[] = [];
    for (let at = this.#next(text, from - this.context + 1); at >= 0; at = this.#next(text, at + 1)) {
      // A value starts after its name.
      yield* found.filter(({ start }) => start <= at);
      found = found.filter(({ start }) => start > at);
      found.push(...this.#searches.flatMap((search) => search.hitAt(text, at, from) ?? []));
      if (found.length > 1)
        found = this.#searches.flatMap(({ detector }) => found.filter((hit) => hit.detector === detector)).sort(byStart);
    }
    yield* found;
  }

  isLikely(text: string, from: number): boolean {
    return this.#next(text, from - this.context) >= 0;
  }

  openFrom(text: string, from: number): number {
    const word = wordStart(text, from);
    if (!this.isLikely(text, word)) return text.length;
    this.#begun.lastIndex = word;
    return this.#begun.exec(text)?.index ?? text.length;
  }

  /** The next name that begins at `from` or later. -1 if there is none. */
  #next(text: string, from: number): number {
    for (let at = this.#starts.next(text, Math.max(0, from)); at >= 0; at = this.#starts.next(text, at + 1)) {
      this.#name.lastIndex = at;
      if (this.#seconds.isAt(text, at + 1) && this.#name.test(text)) return at;
    }
    return -1;
  }
}

function byStart(a: Hit, b: Hit): number {
  return a.start - b.start;
}

/** A pair of characters in small and capital letters. One character may be followed by any other. */
function inEachCase(pair: string): string[] {
  const each = (character: string): string[] => [character.toLowerCase(), character.toUpperCase()];
  const seconds = pair.length > 1 ? each(pair.slice(1)) : Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  return each(pair.slice(0, 1)).flatMap((first) => seconds.map((second) => first + second));
}
