/**
 * `[start, end)` in UTF-16 code units. Never empty, and never splits a surrogate pair. An `end` of Infinity is the end of the text, wherever that
 * will be.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The search of one rule. */
export interface Matcher {
  /** Whether a text can be checked before it is complete. */
  readonly streams: boolean;
  /** Approximate number of steps per code unit of a text without a match. */
  readonly cost: number;
  /** A pattern in RE2 syntax, or a function. It must match every text that has a finding, and may match others. */
  readonly test: string | ((text: string) => boolean);
  /** Starts a search in a new text. */
  search(): Search;
}

/** The search of one rule in one text, which may be incomplete. */
export interface Search {
  /** Every match that starts before this offset has been found. Never splits a surrogate pair. */
  readonly at: number;
  /**
   * Takes the next part of the text. `ended`: whether it is the last one. Yields matches from left to right, and null where a long search may be
   * interrupted. The matches do not depend on how the text is split. Must be read to its end.
   */
  advance(text: string, ended: boolean): Iterable<Span | null>;
}
