/** A set of words separated by white space. */
export function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

export const NO_WORDS: ReadonlySet<string> = new Set();
