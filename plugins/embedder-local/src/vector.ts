import type { Turns } from '@svc/toolkit/work';
import { hashOf } from './hash.ts';
import { grams } from './words.ts';

/** What stands for the stem of a word: it brings `request` and `requested` together. */
const BEGINNING = 5;

/**
 * The vector of a text's words: each word, its beginning, and its trigrams together add its weight to the places that their hashes name,
 * up or down by a further bit, so that words that share a place cancel rather than add up. Trigrams bring typing errors near.
 * @param weigh what a word counts
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
  // A text without words, or one whose words cancel to nothing, is near to nothing else.
  if (vector.every((value) => value === 0)) add('', 1);
  return vector;
}
