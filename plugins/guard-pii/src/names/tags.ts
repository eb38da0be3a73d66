import { isCandidate } from './candidates.ts';
import { featuresOf, MOST_FEATURES } from './features.ts';
import type { Model, Weights } from './model.ts';
import type { Token } from './tokens.ts';

export const NOTHING = 0;
export const PERSON = 1;
export const LOCATION = 2;

/** From here on a candidate is taken for a name. */
const SURE = 0.5;
/** Enough beside a word that is nearly certain. */
const LIKELY = 0.1;
const NEARLY_CERTAIN = 0.8;

export interface Tags {
  readonly kinds: Uint8Array;
  /** The probability of the kind, 0 to 1. */
  readonly scores: Float32Array;
}

const buckets = new Int32Array(MOST_FEATURES);

/** Each token by itself, so that a tag rests on a bounded stretch of text. */
export function tagsOf(text: string, tokens: readonly Token[], model: Model): Tags {
  const persons = new Float32Array(tokens.length);
  const places = new Float32Array(tokens.length);
  for (let at = 0; at < tokens.length; at++) {
    if (!isCandidate(tokens, at, model.lists)) continue;
    const count = featuresOf(text, tokens, at, model.lists, buckets);
    persons[at] = probability(model.person, count);
    places[at] = probability(model.location, count);
  }
  const kinds = new Uint8Array(tokens.length);
  const scores = new Float32Array(tokens.length);
  for (let at = 0; at < tokens.length; at++) {
    const person = persons[at] ?? 0;
    const place = places[at] ?? 0;
    if (person >= place && isTaken(person, persons, tokens, at)) {
      kinds[at] = PERSON;
      scores[at] = person;
    } else if (isTaken(place, places, tokens, at)) {
      kinds[at] = LOCATION;
      scores[at] = place;
    }
  }
  return { kinds, scores };
}

function probability({ table, scale }: Weights, count: number): number {
  let sum = 0;
  for (let at = 0; at < count; at++) sum += table[buckets[at] ?? 0] ?? 0;
  return 1 / (1 + Math.exp(-sum * scale));
}

function isTaken(own: number, all: Float32Array, tokens: readonly Token[], at: number): boolean {
  if (own >= SURE) return true;
  if (own < LIKELY) return false;
  if (isNextTo(tokens[at]) && (all[at - 1] ?? 0) >= NEARLY_CERTAIN) return true;
  return isNextTo(tokens[at + 1]) && (all[at + 1] ?? 0) >= NEARLY_CERTAIN;
}

/** Whether at most two spaces, and nothing else, part the token from the one before. */
export function isNextTo(token: Token | undefined): boolean {
  return token !== undefined && token.gap > 0 && token.gap <= 2;
}
