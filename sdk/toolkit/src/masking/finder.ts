import type { Found } from './found.ts';

/**
 * Finds what has to be masked, in a text that may be incomplete. A finding may depend only on the text near it, so
 * that it does not matter how a stream splits the text. `finderConformance` of `@svc/toolkit/testing` checks that on the author's own texts.
 */
export interface Finder {
  /** Code units before a finding's start that it may depend on. */
  readonly context: number;
  /** Code units from a finding's start that it may depend on: its own and those after it. */
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
  /** For a finder that can rule out most texts from a few characters. */
  readonly plain?: PlainText;
}

/** How a finder knows a text in which nothing starts, without all that stands before it. */
export interface PlainText {
  /** Code units before the text that it reads. */
  readonly before: number;
  /** As {@link Finder.openFrom} of a text in which nothing starts at `from` or after and before that offset; null if it cannot tell. */
  openFrom(text: string, from: number): number | null;
}
