/** Something in a text that may have to be masked. `[start, end)` in UTF-16 code units, never empty, never inside a surrogate pair. */
export interface Found {
  readonly entity_type: string;
  readonly start: number;
  readonly end: number;
  /** How sure: 0 to 1. Of findings that overlap the surest stands. */
  readonly score: number;
}
