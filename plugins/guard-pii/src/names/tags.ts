import { isCandidate, leftOf } from './candidates.ts';
import { BEHIND, featuresOf, MAX_FEATURES } from './features.ts';
import { isIdentifier } from './identifiers.ts';
import type { Model, Weights } from './model.ts';
import { type Token, WORD } from './tokens.ts';
import { PARTICLES } from './words.ts';

export const NOTHING = 0;
export const PERSON = 1;
export const LOCATION = 2;

/** Minimum probability of a name. */
const SURE = 0.4;
/** Minimum probability beside a word that counts as a name. */
const LIKELY = 0.2;
/** Minimum probability beside a word that is nearly certain. */
const POSSIBLE = 0.1;
const NEARLY_CERTAIN = 0.8;
const LEAST_POSSIBLE = Math.log(POSSIBLE / (1 - POSSIBLE));

/**
 * Log-odds below which a word is not a name, whatever follows. The word is judged by itself and the text before it, and then also by the next token.
 * So a stream need not wait after most words. Of the 17,043 words of names in the held-out newspapers (training/README.md), this loses 8 whose
 * probability would be at least {@link POSSIBLE}.
 */
const UNLIKELY_ALONE = -4;
const UNLIKELY_WITH_NEXT = -3.5;

/** Maximum consecutive particles within a name ("de la"). */
export const MAX_PARTICLES = 2;

export interface Tags {
  readonly kinds: Uint8Array;
  /** The probability of the kind, 0 to 1. */
  readonly scores: Float32Array;
}

const buckets = new Int32Array(MAX_FEATURES);

/**
 * Tags each token from `from` on. A tag depends on the features of the word and its neighbours, never on other tags. So only a limited stretch of
 * text matters.
 */
export function tagsOf(text: string, tokens: readonly Token[], model: Model, from = 0): Tags {
  const persons = new Float32Array(tokens.length);
  const places = new Float32Array(tokens.length);
  for (let at = from; at < tokens.length; at++) {
    if (!isCandidate(tokens, at, model.lists)) continue;
    const count = featuresOf(text, tokens, at, model.lists, buckets);
    const person = probability(model.person, count);
    if (person >= POSSIBLE && !isIdentifier(text, tokens, at, model.lists)) persons[at] = person;
    places[at] = probability(model.location, count);
  }
  const kinds = new Uint8Array(tokens.length);
  const scores = new Float32Array(tokens.length);
  for (let at = 0; at < tokens.length; at++) {
    if (persons[at] === 0 && places[at] === 0) continue;
    const kind = kindOf(persons, places, tokens, at);
    kinds[at] = kind;
    scores[at] = (kind === PERSON ? persons[at] : places[at]) ?? 0;
  }
  return { kinds, scores };
}

/** The probability, or 0 if the word is ruled out already without all of its context. */
function probability(weights: Weights, count: number): number {
  return isUnlikelyIn(weights, count, 1) ? 0 : 1 / (1 + Math.exp(-logOdds(weights, count, 2)));
}

/** Uses only features that depend on at most `seen` tokens after the candidate. */
function logOdds({ table, scale }: Weights, count: number, seen: number): number {
  let sum = 0;
  for (let at = 0; at < count; at++) if ((BEHIND[at] ?? 0) <= seen) sum += table[buckets[at] ?? 0] ?? 0;
  return sum * scale;
}

function isUnlikelyIn(weights: Weights, count: number, seen: number): boolean {
  if (logOdds(weights, count, 0) < UNLIKELY_ALONE) return true;
  return seen > 0 && logOdds(weights, count, 1) < UNLIKELY_WITH_NEXT;
}

/** Whether a possible name is ruled out by itself and the `seen` tokens after it (0 to 2), whatever follows. */
export function isNoName(text: string, tokens: readonly Token[], at: number, model: Model, seen: number): boolean {
  const count = featuresOf(text, tokens, at, model.lists, buckets);
  return [model.person, model.location].every((weights) => {
    return isUnlikelyIn(weights, count, seen) || (seen === 2 && logOdds(weights, count, 2) < LEAST_POSSIBLE);
  });
}

function kindOf(persons: Float32Array, places: Float32Array, tokens: readonly Token[], at: number): number {
  const person = persons[at] ?? 0;
  const place = places[at] ?? 0;
  const beside = Math.max(before(persons, tokens, at), behind(persons, tokens, at));
  const isPerson = isTaken(person, beside);
  if (isPerson && (person >= place || (person >= LIKELY && beside >= NEARLY_CERTAIN))) return PERSON;
  if (isTaken(place, Math.max(before(places, tokens, at), behind(places, tokens, at)))) return LOCATION;
  return isPerson ? PERSON : NOTHING;
}

function isTaken(own: number, beside: number): boolean {
  return own >= SURE || (own >= LIKELY && beside >= SURE) || (own >= POSSIBLE && beside >= NEARLY_CERTAIN);
}

/** The probability of the previous word, skipping any particles. */
function before(all: Float32Array, tokens: readonly Token[], at: number): number {
  let from = at;
  while (at - from < MAX_PARTICLES && isNextTo(tokens[from]) && isParticle(tokens[from - 1])) from--;
  const by = at - from + 1;
  return isNextTo(tokens[from]) && leftOf(tokens, at, by) !== undefined ? (all[at - by] ?? 0) : 0;
}

function behind(all: Float32Array, tokens: readonly Token[], at: number): number {
  return isNextTo(tokens[at + 1]) ? (all[at + 1] ?? 0) : 0;
}

/** A particle such as "de" within a name. */
export function isParticle(token: Token | undefined): boolean {
  return token !== undefined && token.kind === WORD && PARTICLES.has(token.hash);
}

/** Whether only one or two spaces separate the token from the previous one. */
export function isNextTo(token: Token | undefined): boolean {
  return token !== undefined && token.gap > 0 && token.gap <= 2;
}
