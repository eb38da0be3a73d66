import type { Signal } from './signals.ts';

/** A pattern that speaks for a signal. It is matched against folded text, see `views/fold.ts`: small letters without accents. */
export interface Cue {
  readonly signal: Signal;
  readonly score: number;
  readonly pattern: RegExp;
}

/** Letters and digits, roughly: whatever is no punctuation. Exact classes take a second to compile. */
const LETTERS = '0-9a-z\\u00c0-\\u1fff\\u2c00-\\u2dff\\u3040-\\uffff';

/**
 * Up to this many words between two others, within a sentence; one more, since a word with a hyphen or an apostrophe is two here. What parts
 * words and what they are made of have no character in common, so that a text has one reading: test/harness/regexp checks it.
 */
export function words(most: number): string {
  return `(?:[^${LETTERS}.!?]{1,6}[${LETTERS}]{1,24}){0,${most + 1}}?[^${LETTERS}.!?]{1,6}`;
}

export function cue(signal: Signal, score: number, ...parts: readonly string[]): Cue {
  return { signal, score, pattern: new RegExp(`(?<![${LETTERS}])${parts.join('')}(?![${LETTERS}])`) };
}
