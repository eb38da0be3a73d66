/** A finding that may have to be masked. `[start, end)` in UTF-16 code units, never empty, never inside a surrogate pair. */
export interface Found {
  readonly entity_type: string;
  readonly start: number;
  readonly end: number;
  /** Confidence, 0 to 1. If findings overlap, the highest score wins. */
  readonly score: number;
}
