import type { Token } from '../text/tokens.ts';

/** Maximum length of an e-mail address and the text that must not follow it. */
export const REACH = 330;
/** Space for context words and half an e-mail address. */
export const BEFORE = 160;

/** A match of a recogniser, before context is applied. A `score` of 1 means that a checksum is valid. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly score: number;
  /** Whether the form alone is conclusive. If so, words that speak against the match do not count. */
  readonly byForm?: boolean;
}

/**
 * Words or pairs of words, in lower case, up to five words before a match. `for` adds 0.35 to the score. `against` subtracts 0.35 if the word is the
 * label of this match (`other-label.ts`).
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
  /**
   * The possible lengths of the groups of digits with which a match begins: 9 for `123-45-6789`. Without it, the recogniser is called at every token.
   */
  readonly digits?: readonly number[] | undefined;
  at(text: string, token: Token): Match | null;
}

/** Called at each sign of one kind. The match must include the sign. */
export interface SignRecogniser extends Base {
  readonly anchor: '@' | ':';
  at(text: string, sign: number): Match | null;
}

/** Does its own search; `from` as in the SDK's `Finder`. */
export interface ScanRecogniser extends Base {
  readonly anchor: 'none';
  find(text: string, from: number): Iterable<Match>;
}

/**
 * One kind of personal data. A match may depend on 100 code units before it. If later text may still change a match, it must be held back by
 * `open-end.ts`, or by the recogniser's own `openFrom`, which returns the start of such a match.
 */
export type Recogniser = (TokenRecogniser | SignRecogniser | ScanRecogniser) & {
  openFrom?(text: string): number;
  /** How many code units from a match's start may matter, if more than {@link REACH}. */
  readonly reach?: number;
  /** How many code units before a match may matter, if more than {@link BEFORE}. */
  readonly before?: number;
  /** Whether percent-encoded characters belong to a match. Other recognisers see them decoded. */
  readonly encoded?: true;
};

/** A set of words, from a string that separates them by white space. `_` stands for a space inside an entry. */
export function words(list: string): ReadonlySet<string> {
  return new Set(
    list
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll('_', ' ')),
  );
}
