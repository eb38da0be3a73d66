/** A piece of a text. `changed`: it is not in the other text. */
export interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

/** Longer texts are not compared: the table below grows with both lengths. */
const MAX_WORDS = 600;

/** Compares two texts word by word, by their longest common subsequence. Joined, the pieces are the texts. */
export function difference(before: string, after: string): { readonly before: Piece[]; readonly after: Piece[] } {
  const from = wordsOf(before);
  const to = wordsOf(after);
  if (from.length > MAX_WORDS || to.length > MAX_WORDS) {
    return { before: [{ text: before, changed: false }], after: [{ text: after, changed: false }] };
  }
  const common = lengths(from, to);
  const left: Piece[] = [];
  const right: Piece[] = [];
  let i = 0;
  let j = 0;
  while (i < from.length || j < to.length) {
    if (i < from.length && from[i] === to[j]) {
      add(left, from[i] ?? '', false);
      add(right, from[i] ?? '', false);
      i += 1;
      j += 1;
    } else if (j >= to.length || (i < from.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      add(left, from[i] ?? '', true);
      i += 1;
    } else {
      add(right, to[j] ?? '', true);
      j += 1;
    }
  }
  return { before: left, after: right };
}

function wordsOf(text: string): string[] {
  // A full stop after a word is not part of it.
  return text.match(/\s+|\S+?(?=[.,;:!?]*(?:\s|$))|[.,;:!?]+(?=\s|$)/g) ?? [];
}

/** `[i][j]`: length of the longest common subsequence of the texts from i and from j. */
function lengths(from: readonly string[], to: readonly string[]): number[][] {
  const table = Array.from({ length: from.length + 1 }, () => new Array<number>(to.length + 1).fill(0));
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      const row = table[i];
      if (row === undefined) continue;
      row[j] = from[i] === to[j] ? (table[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(table[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

function add(pieces: Piece[], text: string, changed: boolean): void {
  const last = pieces.at(-1);
  if (last?.changed === changed) pieces[pieces.length - 1] = { text: last.text + text, changed };
  else pieces.push({ text, changed });
}
