import type { Found } from './found.ts';

/**
 * Finds text to mask, in a text that may be incomplete. A finding may depend only on the text near it, so that it does not matter how a
 * stream splits the text. `finderConformance` of `@svc/toolkit/testing` checks this on the author's own texts.
 */
export interface Finder {
  /** How many code units before a finding's start the finding may depend on. */
  readonly context: number;
  /** How many code units, counted from a finding's start and including its own, the finding may depend on. */
  readonly reach: number;
  /**
   * Every finding that starts at `from` or later, in any order. Findings may overlap. The text has at least `context` code units before `from`,
   * unless it begins later.
   */
  find(text: string, from: number): readonly Found[] | Promise<readonly Found[]>;
  /**
   * The offset from which more text may change something: findings that start at `from` or later and before this offset are final. A higher offset
   * holds back less text; `from` is always correct.
   */
  openFrom(text: string, from: number): number;
  /** For a finder that can rule out most texts from a few characters. */
  readonly plain?: PlainText;
}

/** A quick test for text without findings. It needs only a little of the preceding text. */
export interface PlainText {
  /** How many code units before `from` the test reads. */
  readonly before: number;
  /** Like {@link Finder.openFrom}, if no finding starts between `from` and the returned offset. Null if the test cannot decide. */
  openFrom(text: string, from: number): number | null;
}
