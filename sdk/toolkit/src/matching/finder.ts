import type { Span } from './matcher.ts';

/** Finds matches in a given text. Keeps no state between calls. */
export interface Finder {
  /** How many code units from a match's start may matter: those of the match, and of the character after it. */
  readonly reach: number;
  /** Matches that start at `from` or later, from left to right, without overlap. Found lazily. One character before `from` may matter. */
  find(text: string, from: number): Iterable<Span>;
  /**
   * The first offset, at `from` or later, where more text may create, end or prevent a match. The text's length if there is none. A higher offset
   * holds back less; `from` is always correct.
   */
  openFrom(text: string, from: number): number;
}
