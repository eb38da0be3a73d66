/** A set of names that are written with white space between them. */
export function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
