const LONG_WORD = /\S{100}(?=\S)(?!\p{M}|\u200D|\uFE0F)/gu;
/** For narrow columns: an address, too, which else breaks inside its last letters. */
export const ADDRESS_OR_LONG_WORD = new RegExp(`\\S{8,99}?@(?=\\w)|${LONG_WORD.source}`, LONG_WORD.flags);

/**
 * A text in pieces between which a line may break, none of its words longer than about a hundred characters. A browser lays out a word in a
 * time that grows with the square of its length: whoever is shown one of a million characters waits for minutes.
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
