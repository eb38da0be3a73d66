import { hashOf } from './hash.ts';
import { grams } from './words.ts';

/** Weight of a word's trigrams together, beside 1 for the word: they let endings and typing errors be near, no more. */
const GRAMS_WEIGHT = 0.5;

/**
 * The vector of a text's words: each word, and its trigrams, adds its weight to the places that its hashes name, up or down by a further
 * bit, so that words that share a place cancel rather than add up.
 * @param weigh what a word counts
 */
export function vectorOf(words: ReadonlyMap<string, number>, dimensions: number, weigh: (word: string) => number): Float32Array {
  const vector = new Float32Array(dimensions);
  const add = (feature: string, weight: number): void => {
    const hash = hashOf(feature);
    const place = (hash >>> 1) % dimensions;
    vector[place] = (vector[place] ?? 0) + ((hash & 1) === 0 ? weight : -weight);
  };
  for (const [word, count] of words) {
    const weight = (1 + Math.log(count)) * weigh(word);
    add(`w ${word}`, weight);
    const trigrams = grams(`^${word}$`, 3);
    for (const trigram of trigrams) add(`g ${trigram}`, (weight * GRAMS_WEIGHT) / Math.sqrt(trigrams.length));
  }
  // A text without words, or one whose words cancel to nothing, is near to nothing else.
  if (vector.every((value) => value === 0)) add('', 1);
  return vector;
}
