import type { Signal } from '../signals.ts';

/** A pattern that speaks for a signal. It is matched against folded text, see `views/fold.ts`: small letters without accents. */
export interface Cue {
  readonly signal: Signal;
  readonly score: number;
  readonly pattern: RegExp;
}

/** Up to this many words between two others, within a sentence. Words of any length would make a search quadratic. */
export function words(most: number): string {
  return `(?:[^\\p{L}\\p{N}.!?]{1,6}[\\p{L}\\p{N}'’-]{1,24}){0,${most}}?[^\\p{L}\\p{N}.!?]{1,6}`;
}

export function cue(signal: Signal, score: number, ...parts: readonly string[]): Cue {
  return { signal, score, pattern: new RegExp(`(?<![\\p{L}\\p{N}])${parts.join('')}(?![\\p{L}\\p{N}])`, 'u') };
}
