/** A piece of a text: unchanged, removed, or inserted. */
export interface Piece {
  readonly kind: 'same' | 'out' | 'in';
  readonly text: string;
}

/** Beyond this, a comparison costs too much: the whole text counts as replaced. */
const MAX_CELLS = 1_000_000;

/** The changes from one text to another, word by word. The pieces that are not `in` make the first text, those that are not `out` the second. */
export function textDiff(before: string, after: string): readonly Piece[] {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  if (a.length * b.length > MAX_CELLS) return joined([...a.map(taken), ...b.map(put)]);
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      (common[i] as Uint32Array)[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [one, other] = [a[i], b[j]];
    if (one !== undefined && one === other) {
      pieces.push({ kind: 'same', text: one });
      i += 1;
      j += 1;
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      pieces.push(taken(one));
      i += 1;
    } else {
      pieces.push(put(other ?? ''));
      j += 1;
    }
  }
  return joined(pieces);
}

/** Words and the white space between them. */
function wordsOf(text: string): string[] {
  return text.match(/\s+|[^\s]+/g) ?? [];
}

const taken = (text: string): Piece => ({ kind: 'out', text });
const put = (text: string): Piece => ({ kind: 'in', text });

function joined(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last?.kind === piece.kind) all[all.length - 1] = { kind: piece.kind, text: last.text + piece.text };
    else all.push(piece);
  }
  return all;
}
