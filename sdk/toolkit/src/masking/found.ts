/** Something in a text that may have to be masked. `[start, end)` in UTF-16 code units, never empty, never inside a surrogate pair. */
export interface Found {
  readonly entity_type: string;
  readonly start: number;
  readonly end: number;
  /** Confidence, 0 to 1. Of overlapping findings the one with the highest score is kept. */
  readonly score: number;
}
