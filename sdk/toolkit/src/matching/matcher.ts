/**
 * `[start, end)` in UTF-16 code units; never empty, never inside a surrogate pair. An `end` of Infinity is the end of the text, wherever
 * that will be.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The search of one rule. */
export interface Matcher {
  /** Whether a text can be checked before it is complete. */
  readonly streams: boolean;
  /** Approximate steps per code unit of a text without a match. */
  readonly cost: number;
  /** A pattern in RE2 syntax, or a function. It matches every text that has a finding, and may match others. */
  readonly test: string | ((text: string) => boolean);
  /** Starts a search in a new text. */
  search(): Search;
}

/** One rule in one text, which may be incomplete. */
export interface Search {
  /** Every match that starts before this offset has been found. Never inside a surrogate pair. */
  readonly at: number;
  /**
   * Takes the next part of the text; `ended`: it is the last one. Yields matches from left to right, independent of how the text is split,
   * and null where a long search may be interrupted. Must be read to its end.
   */
  advance(text: string, ended: boolean): Iterable<Span | null>;
}
