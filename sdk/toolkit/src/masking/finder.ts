import type { Found } from './found.ts';

/**
 * Finds text to mask, in a text that may be incomplete. A finding may depend only on the text near it, so that it does not matter how a
 * stream splits the text. `finderConformance` of `@svc/toolkit/testing` checks this on the author's own texts.
 */
export interface Finder {
  /** Code units before a finding's start that it may depend on. */
  readonly context: number;
  /** Code units from a finding's start on that it may depend on, including its own. */
  readonly reach: number;
  /**
   * Every finding that starts at `from` or later, in any order; they may overlap. The text has at least `context` code units before `from`,
   * unless it begins later.
   */
  find(text: string, from: number): readonly Found[] | Promise<readonly Found[]>;
  /**
   * The offset from which more text may change something: findings that start at `from` or later and before this offset are final. A higher
   * offset holds back less; `from` is always correct.
   */
  openFrom(text: string, from: number): number;
  /** For a finder that can rule out most texts from a few characters. */
  readonly plain?: PlainText;
}

/** A quick test for text without findings that needs only a little of the text before it. */
export interface PlainText {
  /** Code units before `from` that the test reads. */
  readonly before: number;
  /**
   * Like {@link Finder.openFrom}, if no finding starts at `from` or later and before the returned offset; null if the test cannot decide.
   */
  openFrom(text: string, from: number): number | null;
}
