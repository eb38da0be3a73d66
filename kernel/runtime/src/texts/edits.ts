import { type Edit, isObject, type Segment, type Steps } from '@svc/contracts';

/** Number of edits between two yields. */
const AT_ONCE = 512;

/**
 * The new text of each segment that a guard edits. Null if an edit is malformed, lies outside its segment, splits a surrogate pair, or overlaps
 * another. Each edit is read once, so that the guard cannot change it between check and use.
 */
export function* editedTexts(edits: readonly unknown[], segments: readonly Segment[]): Steps<ReadonlyMap<number, string> | null> {
  const read = yield* bySegment(edits);
  if (read === null) return null;
  const texts = new Map<number, string>();
  for (const [index, own] of read) {
    const text = segments[index]?.text;
    const edited = text === undefined ? null : yield* editedText(text, own);
    if (edited === null) return null;
    texts.set(index, edited);
    yield;
  }
  return texts;
}

/**
 * The edits of one segment, in columns. A text may have 300,000 edits, and an object for each would take more memory than the text. Most guards
 * return them in order.
 */
class OwnEdits {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly replacements: string[] = [];
  #isOrdered = true;

  add({ start, end, replacement }: Edit): void {
    this.starts.push(start);
    this.ends.push(end);
    this.replacements.push(replacement);
    const last = this.starts.length - 1;
    this.#isOrdered &&= last === 0 || this.#compared(last - 1, last) <= 0;
  }

  /** The indexes of the edits, from left to right in the text. */
  places(): Iterable<number> {
    if (this.#isOrdered) return this.starts.keys();
    return [...this.starts.keys()].sort((a, b) => this.#compared(a, b));
  }

  #compared(a: number, b: number): number {
    return (this.starts[a] ?? 0) - (this.starts[b] ?? 0) || (this.ends[a] ?? 0) - (this.ends[b] ?? 0);
  }
}

/** Groups edits by segment. Null if something is not an edit, or throws when it is read. */
function* bySegment(edits: readonly unknown[]): Steps<ReadonlyMap<number, OwnEdits> | null> {
  const read = new Map<number, OwnEdits>();
  try {
    const { length } = edits;
    for (let at = 0; at < length; at += 1) {
      const edit = readEdit(edits[at]);
      if (edit === null) return null;
      const own = read.get(edit.segment) ?? new OwnEdits();
      read.set(edit.segment, own);
      own.add(edit);
      if (at % AT_ONCE === AT_ONCE - 1) yield;
    }
  } catch {
    return null;
  }
  return read;
}

function readEdit(value: unknown): Edit | null {
  if (!isObject(value)) return null;
  const { segment, start, end, replacement } = value;
  if (!isPlace(segment) || !isPlace(start) || !isPlace(end)) return null;
  return typeof replacement === 'string' && replacement.isWellFormed() ? { segment, start, end, replacement } : null;
}

function isPlace(value: unknown): value is number {
  return Number.isInteger(value);
}

function* editedText(text: string, edits: OwnEdits): Steps<string | null> {
  let edited = '';
  let pieces: string[] = [];
  let from = 0;
  for (const at of edits.places()) {
    const [start, end, replacement] = [edits.starts[at] ?? 0, edits.ends[at] ?? 0, edits.replacements[at] ?? ''];
    if (start < from || start > end || end > text.length || splitsPair(text, start) || splitsPair(text, end)) return null;
    pieces.push(text.slice(from, start), replacement);
    from = end;
    if (pieces.length < 2 * AT_ONCE) continue;
    // Pieces are joined from time to time, because a string of a million pieces is slow to read.
    edited += pieces.join('');
    pieces = [];
    yield;
  }
  return edited + pieces.join('') + text.slice(from);
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}
