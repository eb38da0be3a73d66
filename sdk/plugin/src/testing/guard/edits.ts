import type { Edit, Segment } from '@svc/contracts';
import * as assert from '../cases/assert.ts';

/** Asserts that edits name an existing segment, lie within it, do not overlap, do not split a character, and insert well-formed text. */
export function assertEdits(edits: readonly Edit[], segments: readonly Segment[]): void {
  const free = new Map<number, number>();
  for (const { segment, start, end, replacement } of inOrder(edits)) {
    const text = segments[segment]?.text;
    assert.ok(text !== undefined, `an edit in one of ${segments.length} segments`, segment);
    assert.ok(Number.isInteger(start) && Number.isInteger(end), 'edit offsets that are integers', `${start} to ${end}`);
    assert.ok(0 <= start && start <= end && end <= text.length, `an edit within 0 to ${text.length}`, `${start} to ${end}`);
    const before = free.get(segment) ?? 0;
    assert.ok(
      start >= before,
      `an edit that starts at ${before} or later, after the previous one`,
      `one that starts at ${start}`,
    );
    assert.ok(
      !splitsPair(text, start) && !splitsPair(text, end),
      'an edit at character boundaries',
      `half a pair, ${start} to ${end}`,
    );
    assert.ok(typeof replacement === 'string', 'a replacement that is a string', typeof replacement);
    assert.ok(replacement.isWellFormed(), 'a well-formed replacement', 'half a surrogate pair');
    free.set(segment, end);
  }
}

/** The text of one segment with its edits applied. */
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
