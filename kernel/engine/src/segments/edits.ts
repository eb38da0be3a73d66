import { type Edit, isObject, type Segment, type Steps } from '@svc/contracts';

/** Edits that are worked on before others may get their turn. */
const AT_ONCE = 512;

/**
 * The new text of each segment that a guard edits; null where one of the edits is none, does not lie inside its segment, splits a surrogate
 * pair, or overlaps another. Each is read once, so that what was checked is what is made, whatever its guard does to it meanwhile.
 */
export function* editedTexts(edits: readonly unknown[], segments: readonly Segment[]): Steps<ReadonlyMap<number, string> | null> {
  const read = yield* bySegment(edits);
  if (read === null) return null;
  const texts = new Map<number, string>();
  for (const [index, { edits: own, isOrdered }] of read) {
    const text = segments[index]?.text;
    const edited = text === undefined ? null : yield* editedText(text, isOrdered ? own : own.sort(byPlace));
    if (edited === null) return null;
    texts.set(index, edited);
    yield;
  }
  return texts;
}

/** The edits of one segment. Most guards give them in order. */
interface OwnEdits {
  readonly edits: Edit[];
  isOrdered: boolean;
}

/** Null where something is no edit, or fails when it is read. */
function* bySegment(edits: readonly unknown[]): Steps<ReadonlyMap<number, OwnEdits> | null> {
  const read = new Map<number, OwnEdits>();
  try {
    const { length } = edits;
    for (let at = 0; at < length; at += 1) {
      const edit = readEdit(edits[at]);
      if (edit === null) return null;
      const own = read.get(edit.segment) ?? { edits: [], isOrdered: true };
      const last = own.edits.at(-1);
      if (last === undefined) read.set(edit.segment, own);
      else own.isOrdered &&= byPlace(last, edit) <= 0;
      own.edits.push(edit);
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

/** `edits`: from left to right. */
function* editedText(text: string, edits: readonly Edit[]): Steps<string | null> {
  let edited = '';
  let pieces: string[] = [];
  let from = 0;
  for (const { start, end, replacement } of edits) {
    if (start < from || start > end || end > text.length || splitsPair(text, start) || splitsPair(text, end)) return null;
    pieces.push(text.slice(from, start), replacement);
    from = end;
    if (pieces.length < 2 * AT_ONCE) continue;
    // A string of a million pieces is long to read.
    edited += pieces.join('');
    pieces = [];
    yield;
  }
  return edited + pieces.join('') + text.slice(from);
}

function byPlace(a: Edit, b: Edit): number {
  return a.start - b.start || a.end - b.end;
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}
