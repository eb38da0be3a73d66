/**
 * `[start, end)` in UTF-16 code units; never empty, never between the halves of a surrogate pair. An `end` of Infinity is the end of the
 * text, wherever that will be.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What one rule looks for. */
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
  /** Everything that starts before this offset of the text was found. Never between the halves of a surrogate pair. */
  readonly at: number;
  /**
   * Takes what comes next of the text; `ended`: nothing comes after it. Yields what is found, from left to right, the same however the
   * text was cut; and null now and then, where a long search may be interrupted. To be read to its end.
   */
  advance(text: string, ended: boolean): Iterable<Span | null>;
}
