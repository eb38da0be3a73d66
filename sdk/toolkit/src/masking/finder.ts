import type { Found } from './found.ts';

/**
 * Finds what has to be masked, in a text that may still be coming. What is found at a place must follow from its neighbourhood alone, so
 * that it does not matter in which pieces a text came. `finderConformance` of `@svc/toolkit/testing` checks that on the author's own texts.
 */
export interface Finder {
  /** Code units before a finding's start that may matter to it. */
  readonly context: number;
  /** Code units from a finding's start to the end of all that may matter to it: its own, and those after it. */
  readonly reach: number;
  /**
   * Every finding that starts at `from` or after, in any order; they may overlap. At least `context` code units before `from` are there,
   * or the text's beginning.
   */
  find(text: string, from: number): readonly Found[] | Promise<readonly Found[]>;
  /**
   * Where more text might still change something: whatever could follow, what starts at `from` or after and before this offset is as
   * `find` says now. The higher, the less is held back; `from` is always right.
   */
  openFrom(text: string, from: number): number;
  /** For a finder that sees from few characters of most texts that they hold nothing. */
  readonly plain?: PlainText;
}

/** How a finder knows a text in which nothing starts, without all that stands before it. */
export interface PlainText {
  /** Code units before the text that it looks at. */
  readonly before: number;
  /** As {@link Finder.openFrom} of a text in which nothing starts at `from` or after and before that offset; null where it cannot tell. */
  openFrom(text: string, from: number): number | null;
}
