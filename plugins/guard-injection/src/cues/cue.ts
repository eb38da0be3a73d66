import type { Signal } from './signals.ts';

/** A pattern that is evidence for a signal. It is matched against folded text (`views/fold.ts`): lower case without accents. */
export interface Cue {
  readonly signal: Signal;
  readonly score: number;
  readonly pattern: RegExp;
}

/** Letters and digits, approximately: everything except punctuation. Exact classes take a second to compile. */
const LETTERS = '0-9a-z\\u00c0-\\u1fff\\u2c00-\\u2dff\\u3040-\\uffff';

/**
 * Up to this many words between two others in one sentence, plus one, because a word with a hyphen or an apostrophe counts as
 * two. Separators and words share no characters, so a text can be read in only one way; test/harness/regexp checks this.
 */
export function words(most: number): string {
  return `(?:[^${LETTERS}.!?]{1,6}[${LETTERS}]{1,24}){0,${most + 1}}?[^${LETTERS}.!?]{1,6}`;
}

export function cue(signal: Signal, score: number, ...parts: readonly string[]): Cue {
  return { signal, score, pattern: new RegExp(`(?<![${LETTERS}])${parts.join('')}(?![${LETTERS}])`) };
}
