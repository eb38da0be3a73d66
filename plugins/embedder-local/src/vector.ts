import type { Turns } from '@svc/toolkit/work';
import { hashOf } from './hash.ts';
import { grams } from './words.ts';

/** A prefix of this length serves as a word's stem: it matches `request` with `requested`. */
const BEGINNING = 5;

/**
 * The vector of a text (feature hashing). Each word, its prefix, and its trigrams together add the word's weight to the dimensions given by their
 * hashes. Another bit of the hash gives the sign, so that collisions cancel out on average. Trigrams tolerate typing errors.
 * @param weigh returns the weight of a word
 */
export async function vectorOf(
  words: ReadonlyMap<string, number>,
  dimensions: number,
  weigh: (word: string) => number,
  turns: Turns,
): Promise<Float32Array> {
  const vector = new Float32Array(dimensions);
  const add = (feature: string, weight: number): void => {
    const hash = hashOf(feature);
    const place = (hash >>> 1) % dimensions;
    vector[place] = (vector[place] ?? 0) + ((hash & 1) === 0 ? weight : -weight);
  };
  for (const [word, count] of words) {
    if (turns.isOver) await turns.next();
    const weight = (1 + Math.log(count)) * weigh(word);
    add(`w ${word}`, weight);
    const trigrams = grams(`^${word}$`, 3);
    for (const trigram of trigrams) add(`g ${trigram}`, weight / Math.sqrt(trigrams.length));
    if (word.length > BEGINNING) add(`b ${word.slice(0, BEGINNING)}`, weight);
  }
  // A text without words, or with words that cancel out, matches nothing.
  if (vector.every((value) => value === 0)) add('', 1);
  return vector;
}
