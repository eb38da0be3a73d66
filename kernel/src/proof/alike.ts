import { type EndOf, endOfInteger, endOfKey, endOfText, NO, QUOTE } from './scan.ts';

/** An object that was read. Another may have other texts and other integers in the same places. */
interface Example {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /**
   * For each byte of a value that is a text or an integer, and for the one behind an integer, where a longer one goes on: where that value
   * begins. 0 for all other bytes.
   */
  readonly begins: Uint16Array;
  /** And where it ends. */
  readonly ends: Uint16Array;
  /** What was read after it, the last time: it is tried first. */
  next: Example | null;
}

const EXAMPLES = 8;
const MOST_BYTES = 4096;
const STEP = 4;
/** So many are read without, after one that was like none: where hardly two are alike, looking costs more than it saves. */
const PAUSE = 16;

/**
 * Reads objects whose schema asks no more of any text and of any integer than to be one. The events of a ledger are like one another but for
 * a few values. What is the same as in an object that was read before, compared four bytes at a time, was canonical and of its schema there.
 * Where there is another text for a text, or another integer for an integer, that alone is read. Nothing else may differ: the keys and their
 * order are the same.
 */
export function alike(endOf: EndOf): EndOf {
  /** The newest in the place of the oldest. */
  const examples: Example[] = [];
  let made = 0;
  let last: Example | null = null;
  const viewed = viewer();
  let paused = 0;
  return (bytes, at) => {
    if (paused > 0) {
      paused -= 1;
      return endOf(bytes, at);
    }
    const view = viewed(bytes);
    for (let i = -1; i < examples.length; i++) {
      const example = i < 0 ? last?.next : examples[i];
      const end = example ? endOfAlike(bytes, view, at, example) : NO;
      if (!example || end === NO) continue;
      if (last !== null) last.next = example;
      last = example;
      return end;
    }
    paused = PAUSE;
    const end = endOf(bytes, at);
    if (end !== NO && end - at <= MOST_BYTES) {
      examples[made % EXAMPLES] = exampleOf(Buffer.from(bytes.subarray(at, end)));
      made += 1;
    }
    return end;
  };
}

/** Keeps the last one: most calls are for the same bytes. */
function viewer(): (bytes: Uint8Array) => DataView {
  let of: Uint8Array = Buffer.alloc(0);
  let view = viewOf(of);
  return (bytes) => {
    if (of !== bytes) view = viewOf(bytes);
    of = bytes;
    return view;
  };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function endOfAlike(bytes: Uint8Array, view: DataView, begin: number, example: Example): number {
  let at = begin;
  for (let i = 0; ; ) {
    const same = sameBytes(view, at, example.view, i);
    i += same;
    at += same;
    if (i === example.bytes.length) return at;
    const value = example.begins[i] ?? 0;
    if (value === 0) return NO;
    const from = at - (i - value);
    at = example.bytes[value] === QUOTE ? endOfText(bytes, from) : endOfInteger(bytes, from);
    i = example.ends[i] ?? 0;
    if (at === NO || bytes[at] !== example.bytes[i]) return NO;
  }
}

/** How many bytes from `a` on are those from `b` on of the other. */
function sameBytes(view: DataView, a: number, other: DataView, b: number): number {
  const most = Math.min(view.byteLength - a, other.byteLength - b);
  let same = 0;
  while (same <= most - STEP && view.getInt32(a + same) === other.getInt32(b + same)) same += STEP;
  while (same < most && view.getUint8(a + same) === other.getUint8(b + same)) same += 1;
  return same;
}

/** Of an object that is canonical. */
function exampleOf(bytes: Uint8Array): Example {
  const begins = new Uint16Array(bytes.length);
  const ends = new Uint16Array(bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const isText = bytes[at] === QUOTE;
    const key = isText ? endOfKey(bytes, at) : NO;
    const end = isText ? endOfText(bytes, at) : endOfInteger(bytes, at);
    if (key === NO && end !== NO) {
      begins.fill(at, at, isText ? end : end + 1);
      ends.fill(end, at, isText ? end : end + 1);
    }
    // Neither: a byte between values, or of a word.
    at = Math.max(key, end, at + 1);
  }
  return { bytes, view: viewOf(bytes), begins, ends, next: null };
}
