import type { Segment } from '@svc/contracts';
import { lastIndexWhere } from '../work/last-index.ts';

/** A part of a segment's text, in UTF-16 code units. */
export interface Piece {
  /** Index of the segment. */
  readonly segment: number;
  readonly start: number;
  readonly end: number;
}

/** Texts that are sent together. */
export interface TextBatch {
  readonly text: string;
  /** Where `[start, end)` of `text` is in the segments. A range over several segments has a piece in each. */
  piecesOf(start: number, end: number): readonly Piece[];
}

interface Part extends Piece {
  /** Where the part begins in the batch. */
  readonly at: number;
}

/** Separates two texts. No pattern of a service should match across it. */
const GAP = '\n\n';

/**
 * All texts, in batches of at most `most` UTF-16 code units. A longer text is split into parts. Each part begins with the last `overlap` units of the
 * previous one, so anything up to that length is in one part as a whole. No text is left out, and no surrogate pair is split.
 * @param overlap less than half of `most`
 */
export function textBatches(
  segments: readonly Pick<Segment, 'index' | 'text'>[],
  most: number,
  overlap: number,
): readonly TextBatch[] {
  const batches: TextBatch[] = [];
  let parts: Part[] = [];
  let texts: string[] = [];
  let length = 0;
  const close = (): void => {
    if (parts.length > 0) batches.push(batchOf(texts.join(GAP), parts));
    parts = [];
    texts = [];
    length = 0;
  };
  for (const { index, text } of segments) {
    for (const [start, end] of rangesOf(text, most, overlap)) {
      const gap = parts.length > 0 ? GAP.length : 0;
      if (length + gap + end - start > most) close();
      const at = length === 0 ? 0 : length + GAP.length;
      parts.push({ segment: index, start, end, at });
      texts.push(text.slice(start, end));
      length = at + end - start;
    }
  }
  close();
  return batches;
}

function batchOf(text: string, parts: readonly Part[]): TextBatch {
  return {
    text,
    piecesOf: (from, to) => {
      const pieces: Piece[] = [];
      for (const { segment, start, end, at } of partsFrom(from, parts)) {
        if (at >= to) break;
        const piece = { segment, start: Math.max(start, start + from - at), end: Math.min(end, start + to - at) };
        if (piece.start < piece.end) pieces.push(piece);
      }
      return pieces;
    },
  };
}

/** All parts from the one that contains an offset onwards. The search is fast, because a batch may have 100,000 parts and as many findings. */
function* partsFrom(offset: number, parts: readonly Part[]): Iterable<Part> {
  const first = lastIndexWhere(parts.length, (index) => (parts[index]?.at ?? 0) <= offset);
  for (let index = first; index < parts.length; index += 1) yield parts[index] as Part;
}

function* rangesOf(text: string, most: number, overlap: number): Iterable<readonly [start: number, end: number]> {
  let start = 0;
  while (start < text.length) {
    const end = whole(text, Math.min(start + most, text.length));
    yield [start, end];
    if (end === text.length) return;
    start = whole(text, end - overlap);
  }
}

/** The offset, or the one before it if it would split a surrogate pair. */
function whole(text: string, offset: number): number {
  const isInPair = offset < text.length && /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(offset - 1, offset + 1));
  return isInPair ? offset - 1 : offset;
}
