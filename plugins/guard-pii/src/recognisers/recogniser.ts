import type { Token } from '../text/tokens.ts';

/** Maximum length of an e-mail address, with what must not follow it. */
export const REACH = 330;
/** Context words, and half an e-mail address. */
export const BEFORE = 160;

/** A match of a recogniser, before context is applied. A `score` of 1 means that a checksum is valid. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly score: number;
  /** The form alone is conclusive: words against it do not count. */
  readonly byForm?: boolean;
}

/**
 * Words, or two words with a space, in lower case, up to five words before a match. `for` adds 0.35; `against` subtracts 0.35, if the word
 * is the label of this match (`other-label.ts`).
 */
export interface Context {
  readonly for: ReadonlySet<string>;
  readonly against?: ReadonlySet<string>;
}

interface Base {
  readonly entity_type: string;
  readonly context?: Context;
}

/** Called at the start of every run of letters and digits that contains a digit. */
export interface TokenRecogniser extends Base {
  readonly anchor: 'token';
  at(text: string, token: Token): Match | null;
}

/** Called at each sign of a kind. Its match must include the sign. */
export interface SignRecogniser extends Base {
  readonly anchor: '@' | ':';
  at(text: string, sign: number): Match | null;
}

/** Searches by itself; `from` as in the SDK's `Finder`. */
export interface ScanRecogniser extends Base {
  readonly anchor: 'none';
  find(text: string, from: number): Iterable<Match>;
}

/**
 * One kind of personal data. A match may depend on 100 code units before it. The text after it that matters must be held back by
 * `open-end.ts`, or by the recogniser's own `openFrom`: the start of a match that more text may change.
 */
export type Recogniser = (TokenRecogniser | SignRecogniser | ScanRecogniser) & {
  openFrom?(text: string): number;
  /** Maximum length of a match with the text after it that matters, in code units, if more than {@link REACH}. */
  readonly reach?: number;
  /** Code units before a match that may matter, if more than {@link BEFORE}. */
  readonly before?: number;
};

/** A set of words from a string. A `_` stands for a space within an entry. */
export function words(list: string): ReadonlySet<string> {
  return new Set(
    list
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll('_', ' ')),
  );
}
