import type { Finder, Found } from '@svc/toolkit/masking';
import { loweredScore, raisedScore, wordsBefore } from './context-words.ts';
import { openEnd, plainEnd } from './open-end.ts';
import { hasLabel } from './other-label.ts';
import {
  BEFORE,
  type Context,
  type Match,
  REACH,
  type Recogniser,
  type ScanRecogniser,
  type SignRecogniser,
  type TokenRecogniser,
} from './recognisers/recogniser.ts';
import { lengthsFrom } from './text/digit-groups.ts';
import { tokens } from './text/tokens.ts';

/**
 * Runs recognisers over a text in few passes: one that stops at digits, one for each sign, and one for each recogniser that does its own search. The
 * text must have plain signs, see {@link searchPlain}.
 */
export function patternFinder(recognisers: readonly Recogniser[], threshold: number): Finder {
  const byToken = recognisers
    .filter((recogniser) => recogniser.anchor === 'token')
    .map((recogniser) => ({ recogniser, lengths: bitsOf(recogniser.digits) }));
  const scanning = recognisers.filter((recogniser) => recogniser.anchor === 'none');
  const signs = (['@', ':'] as const).map((sign) => ({ sign, own: recognisers.filter(({ anchor }) => anchor === sign) }));
  const opening = recognisers.flatMap(({ openFrom }) => openFrom ?? []);

  return {
    context: Math.max(BEFORE, ...recognisers.map(({ before = 0 }) => before)),
    reach: Math.max(REACH, ...recognisers.map(({ reach = 0 }) => reach)),
    find(text, from) {
      const harvest = new Harvest(text, from, threshold);
      findAtTokens(byToken, text, from, harvest);
      for (const { sign, own } of signs) if (own.length > 0) findAtSigns(own, sign, text, from, harvest);
      for (const recogniser of scanning) findByScan(recogniser, text, from, harvest);
      return harvest.found;
    },
    // The other recognisers only matter for text with a digit or a sign.
    ...(scanning.length === 0 && opening.length === 0 && { plain: { before: 0, openFrom: plainEnd } }),
    openFrom(text) {
      return opening.reduce((least, openFrom) => Math.min(least, openFrom(text)), openEnd(text));
    },
  };
}

/** A recogniser and the lengths of its numbers, as in {@link lengthsFrom}. */
interface ByToken {
  readonly recogniser: TokenRecogniser;
  readonly lengths: number;
}

const ANY = -1;

function bitsOf(digits: readonly number[] | undefined): number {
  return digits === undefined ? ANY : digits.reduce((bits, length) => bits | (1 << length), 0);
}

function findAtTokens(recognisers: readonly ByToken[], text: string, from: number, harvest: Harvest): void {
  if (recognisers.length === 0) return;
  for (const token of tokens(text, from)) {
    const possible = lengthsFrom(token.group);
    for (const { recogniser, lengths } of recognisers)
      if (lengths === ANY || (lengths & possible) !== 0) harvest.take(recogniser, recogniser.at(text, token));
  }
}

function findAtSigns(recognisers: readonly Recogniser[], sign: string, text: string, from: number, harvest: Harvest): void {
  for (let at = text.indexOf(sign, from); at >= 0; at = text.indexOf(sign, at + 1)) {
    for (const recogniser of recognisers) if (isSigned(recogniser)) harvest.take(recogniser, recogniser.at(text, at));
  }
}

function findByScan(recogniser: ScanRecogniser, text: string, from: number, harvest: Harvest): void {
  for (const match of recogniser.find(text, from)) harvest.take(recogniser, match);
}

function isSigned(recogniser: Recogniser): recogniser is SignRecogniser {
  return recogniser.anchor === '@' || recogniser.anchor === ':';
}

/** Collects matches, applies their context, and keeps those that reach the threshold. */
class Harvest {
  readonly found: Found[] = [];
  readonly #text: string;
  readonly #from: number;
  readonly #threshold: number;
  /** The places of findings with a score of 1, and their order. */
  readonly #certain = new Map<string, number>();
  /** Cached, because several recognisers often match at the same place. */
  #before: { readonly start: number; readonly words: readonly string[] } = { start: -1, words: [] };

  constructor(text: string, from: number, threshold: number) {
    this.#text = text;
    this.#from = from;
    this.#threshold = threshold;
  }

  take({ entity_type, context }: Recogniser, match: Match | null): void {
    if (match === null || match.start < this.#from) return;
    const { start, end } = match;
    const score = this.#weighed(match, context);
    if (score <= 0 || score < this.#threshold) return;
    const place = `${start} ${end}`;
    const rival = score === 1 ? this.#certain.get(place) : undefined;
    if (rival !== undefined && !this.#isLabelled(start, context)) return;
    const order = rival ?? this.found.length;
    this.found[order] = { entity_type, start, end, score };
    if (score === 1) this.#certain.set(place, order);
  }

  /** Some numbers pass the checksums of two countries. The label decides. */
  #isLabelled(start: number, context: Context | undefined): boolean {
    return context !== undefined && this.#wordsBefore(start).some((word) => context.for.has(word));
  }

  #weighed({ start, end, score, byForm }: Match, context: Context | undefined): number {
    const raised = raisedScore(score, context, () => this.#wordsBefore(start));
    if (context?.against === undefined || raised !== score || score === 1 || byForm === true || score < this.#threshold)
      return raised;
    return hasLabel(this.#text, start, end, context.against) ? loweredScore(score) : score;
  }

  #wordsBefore(start: number): readonly string[] {
    if (this.#before.start !== start) this.#before = { start, words: wordsBefore(this.#text, start) };
    return this.#before.words;
  }
}
