import { diffWordsWithSpace } from 'diff';

/** A piece of a text: unchanged, taken out, or put in. */
export interface Piece {
  readonly kind: 'same' | 'out' | 'in';
  readonly text: string;
}

/** Beyond this, the whole text counts as replaced. */
const TIMEOUT_MS = 100;

/** What turns one text into another, word by word. The pieces that are not `in` make the first text, those that are not `out` the second. */
export function textDiff(before: string, after: string): readonly Piece[] {
  const changes = diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS });
  if (changes !== undefined)
    return changes.map(({ value: text, added, removed }) => ({ kind: removed ? 'out' : added ? 'in' : 'same', text }));
  return [
    { kind: 'out', text: before },
    { kind: 'in', text: after },
  ];
}
