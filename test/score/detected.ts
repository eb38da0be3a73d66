/** A label or a finding in a text, in UTF-16 code units. */
export interface Span {
  readonly entity_type: string;
  readonly start: number;
  readonly end: number;
}

/** What was found in each of the texts, and how long that took. */
export interface Detected {
  readonly findings: readonly (readonly Span[])[];
  readonly seconds: number;
}
