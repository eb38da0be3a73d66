/** A label or finding in a text. Offsets are in UTF-16 code units. */
export interface Span {
  readonly entity_type: string;
  readonly start: number;
  readonly end: number;
}

/** The findings in each text, and how long it took. */
export interface Detected {
  readonly findings: readonly (readonly Span[])[];
  readonly seconds: number;
}
