import assert from 'node:assert/strict';
import type { Edit, Segment } from '@svc/contracts';

/** Edits name an existing segment, lie inside it, do not overlap, cut no character in two and put in well-formed text. */
export function assertEdits(edits: readonly Edit[], segments: readonly Segment[]): void {
  const free = new Map<number, number>();
  for (const { segment, start, end, replacement } of inOrder(edits)) {
    const text = segments[segment]?.text;
    assert.ok(text !== undefined, `an edit names segment ${segment} of ${segments.length}`);
    assert.ok(Number.isInteger(start) && Number.isInteger(end), `edit offsets ${start} to ${end} are not integers`);
    assert.ok(0 <= start && start <= end && end <= text.length, `edit ${start} to ${end} lies outside 0 to ${text.length}`);
    assert.ok(start >= (free.get(segment) ?? 0), `edits overlap at ${start}`);
    assert.ok(!splitsPair(text, start) && !splitsPair(text, end), `edit ${start} to ${end} cuts a surrogate pair in two`);
    assert.equal(typeof replacement, 'string');
    assert.ok(replacement.isWellFormed(), 'a replacement holds half a surrogate pair');
    free.set(segment, end);
  }
}

/** The text of one segment after its edits. */
export function editedText(segment: Segment, edits: readonly Edit[]): string {
  let text = '';
  let from = 0;
  for (const edit of inOrder(edits.filter((edit) => edit.segment === segment.index))) {
    text += segment.text.slice(from, edit.start) + edit.replacement;
    from = edit.end;
  }
  return text + segment.text.slice(from);
}

function inOrder(edits: readonly Edit[]): Edit[] {
  return edits.toSorted((a, b) => a.segment - b.segment || a.start - b.start || a.end - b.end);
}

function splitsPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
