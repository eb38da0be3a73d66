/** `[start, end)` in UTF-16 code units; never empty, never between the halves of a surrogate pair. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds what one rule looks for in one text: from left to right, without overlap, lazily. Keeps nothing between calls. */
export type Matcher = (text: string) => Iterable<Span>;
