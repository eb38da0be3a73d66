import type { Token } from '../text/tokens.ts';

/** The longest e-mail address, and what must not follow it. */
export const REACH = 330;
/** Words of the context, and half an e-mail address. */
export const BEFORE = 160;

/** Something that a recogniser found, before context is weighed. `score` 1: a checksum holds. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly score: number;
  /** Its form alone says what it is: no word speaks against it. */
  readonly byForm?: boolean;
}

/**
 * Words, or two words with a space between, in lower case, that stand up to five words before. `for` makes a finding surer by 0.35;
 * `against` says that the number is something else and takes as much, where it is the finding's own label (`other-label.ts`).
 */
export interface Context {
  readonly for: ReadonlySet<string>;
  readonly against?: ReadonlySet<string>;
}

interface Base {
  readonly entity_type: string;
  readonly context?: Context;
}

/** Asked at the beginning of every run of letters and digits in which there is a digit. */
export interface TokenRecogniser extends Base {
  readonly anchor: 'token';
  at(text: string, token: Token): Match | null;
}

/** Asked for each sign of a kind; what it finds holds that sign. */
export interface SignRecogniser extends Base {
  readonly anchor: '@' | ':';
  at(text: string, sign: number): Match | null;
}

/** Searches by itself; see `Finder` of the SDK for what holds of `from`. */
export interface ScanRecogniser extends Base {
  readonly anchor: 'none';
  find(text: string, from: number): Iterable<Match>;
}

/**
 * One kind of personal data. What it finds may depend on 100 code units before it, and what comes after must be held back by
 * `open-end.ts`, or by its own `openFrom`: where a finding may begin that more text would change.
 */
export type Recogniser = (TokenRecogniser | SignRecogniser | ScanRecogniser) & {
  openFrom?(text: string): number;
  /** Longest finding and what follows it that matters, code units, where it is more than {@link REACH}. */
  readonly reach?: number;
  /** What may matter before a finding, code units, where it is more than {@link BEFORE}. */
  readonly before?: number;
};

/** A set of words written in one line. A `_` joins two words. */
export function words(list: string): ReadonlySet<string> {
  return new Set(
    list
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll('_', ' ')),
  );
}
