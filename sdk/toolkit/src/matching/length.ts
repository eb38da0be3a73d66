import type { Matcher, Search, Span } from './matcher.ts';
import { characterAt, isHigh } from './window.ts';

/** Finds the text after the first `max` characters. Characters are code points, so the cut never splits a surrogate pair. */
export function lengthMatcher(max: number): Matcher {
  return { streams: true, cost: 1, test: ({ length }) => length > max, search: () => new LengthSearch(max) };
}

class LengthSearch implements Search {
  at = 0;
  #left: number;
  #cut = false;
  /** The first half of a surrogate pair whose second half has not arrived. */
  #half = '';

  constructor(max: number) {
    this.#left = max;
  }

  advance(text: string, ended: boolean): readonly Span[] {
    if (this.#cut) return [];
    const all = this.#half + text;
    const known = !ended && isHigh(all.charCodeAt(all.length - 1)) ? all.length - 1 : all.length;
    let offset = 0;
    for (; this.#left > 0 && offset < known; this.#left--) offset += characterAt(all, offset);
    this.#half = all.slice(known);
    this.at += offset;
    this.#cut = offset < all.length && this.#left === 0;
    return this.#cut ? [{ start: this.at, end: Infinity }] : [];
  }
}
