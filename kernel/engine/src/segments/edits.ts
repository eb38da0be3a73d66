import type { Edit, Segment } from '@svc/contracts';

/** Whether every edit lies inside its segment, splits no surrogate pair, and overlaps no other. */
export function editsAreValid(edits: readonly Edit[], segments: readonly Segment[]): boolean {
  const ends = new Map<number, number>();
  return inOrder(edits).every(({ segment, start, end, replacement }) => {
    const text = segments[segment]?.text;
    if (text === undefined) return false;
    const free = start >= (ends.get(segment) ?? 0) && start <= end && end <= text.length;
    ends.set(segment, end);
    return free && replacement.isWellFormed() && !splitsPair(text, start) && !splitsPair(text, end);
  });
}

/** The new text of each segment that changes. The edits must be valid. */
export function applyEdits(edits: readonly Edit[], segments: readonly Segment[]): Map<number, string> {
  const pieces = new Map<number, { text: string; from: number }>();
  for (const { segment, start, end, replacement } of inOrder(edits)) {
    const source = segments[segment]?.text ?? '';
    const done = pieces.get(segment) ?? { text: '', from: 0 };
    pieces.set(segment, { text: done.text + source.slice(done.from, start) + replacement, from: end });
  }
  return new Map([...pieces].map(([segment, { text, from }]) => [segment, text + (segments[segment]?.text ?? '').slice(from)]));
}

function inOrder(edits: readonly Edit[]): Edit[] {
  return edits.toSorted((a, b) => a.segment - b.segment || a.start - b.start || a.end - b.end);
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}
