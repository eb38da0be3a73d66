const LONG_WORD = /\S{100}(?=\S)(?!\p{M}|\u200D|\uFE0F)/gu;

/**
 * A text in pieces between which a line may break, none of its words longer than about a hundred characters. A browser lays out a word in a
 * time that grows with the square of its length: whoever is shown one of a million characters waits for minutes.
 */
export function breakable(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(LONG_WORD)) {
    pieces.push(text.slice(from, index + word.length));
    from = index + word.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}
