import type { Turns } from '@svc/toolkit/work';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LONGEST_WORD = 64;

/** How often each word occurs in a text. Words are in lower case and in compatibility form (NFKC). */
export async function wordsOf(text: string, turns: Turns): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const folded = text.normalize('NFKC').toLowerCase();
  for (const word of wordsIn(folded)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    if (turns.isOver) await turns.next();
  }
  return counts;
}

function* wordsIn(text: string): Generator<string> {
  for (const [run] of text.matchAll(WORD)) {
    if (UNSPACED.test(run)) yield* pairsOf(run);
    // Longer words are cut off, because nobody searches for a line of base64.
    else yield run.slice(0, LONGEST_WORD);
  }
}

/** Yields every pair of adjacent characters. A run of one character yields that character. A run may be the whole text. */
function* pairsOf(run: string): Generator<string> {
  let before: string | null = null;
  let isPaired = false;
  for (const character of run) {
    if (before !== null) {
      yield before + character;
      isPaired = true;
    }
    before = character;
  }
  if (!isPaired) yield run;
}

/** The n-grams of a short text, or the text itself if it is not longer than `length`. */
export function grams(text: string, length: number): string[] {
  const characters = [...text];
  if (characters.length <= length) return [text];
  return characters.slice(length - 1).map((_, i) => characters.slice(i, i + length).join(''));
}
