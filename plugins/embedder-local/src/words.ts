const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LONGEST_WORD = 64;

/** How often each word is in a text, in one form for capitals, widths and ligatures. */
export function wordsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (word: string): void => void counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (UNSPACED.test(run)) for (const pair of grams(run, 2)) count(pair);
    // Nobody asks for one by name: a line of base64 is no word.
    else count(run.slice(0, LONGEST_WORD));
  }
  return counts;
}

/** Runs of `length` characters; the text itself where it is no longer. */
export function grams(text: string, length: number): string[] {
  const characters = [...text];
  if (characters.length <= length) return [text];
  return characters.slice(length - 1).map((_, i) => characters.slice(i, i + length).join(''));
}
