/** A finding that may have to be masked. `[start, end)` is in UTF-16 code units; it is never empty and never splits a surrogate pair. */
export interface Found {
  readonly entity_type: string;
  readonly start: number;
  readonly end: number;
  /** Confidence, from 0 to 1. If findings overlap, the highest score wins. */
  readonly score: number;
}
