const LONG_WORD = /\S{100}(?=\S)(?!\p{M}|\u200D|\uFE0F)/gu;
/** For narrow columns: also breaks addresses between their parts. */
export const ADDRESS_OR_LONG_WORD = new RegExp(`\\S{8,99}?@(?=\\w)|${LONG_WORD.source}`, LONG_WORD.flags);

/**
 * Splits a text into pieces between which a line may break, so that no word exceeds about a hundred characters.
 * A browser's layout time grows with the square of a word's length: a word of a million characters takes minutes.
 */
export function breakable(text: string, word = LONG_WORD): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(word)) {
    pieces.push(text.slice(from, index + found.length));
    from = index + found.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}
