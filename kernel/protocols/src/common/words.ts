/** A set of words that are written with white space between them. */
export function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

export const NO_WORDS: ReadonlySet<string> = new Set();
