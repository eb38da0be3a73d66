/** Features are hashed into this many buckets. */
export const BUCKETS = 1 << 17;
const SHIFT = 32 - 17;
const PRIME = 0x0100_0193;
const WORD = 0x811c_9dc5;

/** Most tokens in a block, the smallest part of a text with a score of its own. */
const MAX_BLOCK = 16;
/** A block ends at the end of a sentence or a line if it has as many tokens. */
const MIN_BLOCK = 5;
const ENDS = new Set([...'.!?\n'].map((sign) => Math.imul(WORD ^ sign.charCodeAt(0), PRIME)));
/** Scripts without spaces have no words, so a long run of letters is cut. */
const MAX_WORD = 24;
const LETTERS = 0x2f0b_4a27;
/** Marks both ends of a word. */
const EDGE = 0x5f;

/** Three tokens repeat the same three if those came at most so many tokens before. */
const REPEATED_WITHIN = 64;
/** From this repetition on, a token has no features. */
const MOST_REPEATS = 3;
/** How many of the last runs of three tokens are remembered. A power of two. */
const SLOTS = 1024;

/** Takes the features of a text, block by block. */
export interface FeatureSink {
  feature(bucket: number): void;
  endOfBlock(): void;
}

function bucketOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  return (mixed ^ (mixed >>> 13)) >>> SHIFT;
}

/**
 * The features of a folded text: runs of one to three words or punctuation marks, and runs of three to five letters of a word.
 * All digits are one, and repeated marks are one. Words that are repeated again and again stop counting, because a score grows with
 * the number of features.
 */
export function readFeatures(folded: string, sink: FeatureSink): void {
  const letters = new Uint16Array(MAX_WORD + 2);
  const repeats = repetitions();
  let [before, last] = [0, 0];
  let tokens = 0;
  const token = (hash: number, word = 0): void => {
    const pair = Math.imul(last, PRIME) ^ hash;
    const run = Math.imul(Math.imul(before, PRIME) ^ last, PRIME) ^ hash;
    const [inPair, inRun] = [last !== 0, before !== 0];
    [before, last] = [last, hash];
    if (inRun && repeats(run)) return;
    if (word > 0) runsOf(letters, word, sink);
    sink.feature(bucketOf(hash));
    if (inPair) sink.feature(bucketOf(pair));
    if (inRun) sink.feature(bucketOf(run));
    tokens += 1;
    if (tokens < MAX_BLOCK && !(tokens >= MIN_BLOCK && ENDS.has(hash))) return;
    sink.endOfBlock();
    tokens = 0;
  };
  for (let at = 0; at < folded.length; ) {
    const code = folded.charCodeAt(at);
    if (!isLetter(code)) {
      at += 1;
      if (code === 0x20 || folded.charCodeAt(at) === code) continue;
      token(Math.imul(WORD ^ code, PRIME));
      continue;
    }
    let length = 1;
    let hash = WORD;
    letters[0] = EDGE;
    for (; length <= MAX_WORD && at < folded.length && isLetter(folded.charCodeAt(at)); at += 1) {
      const letter = folded.charCodeAt(at);
      letters[length] = letter >= 0x30 && letter <= 0x39 ? 0x30 : letter;
      hash = Math.imul(hash ^ (letters[length] ?? 0), PRIME);
      length += 1;
    }
    letters[length++] = EDGE;
    token(hash, length);
  }
  if (tokens > 0) sink.endOfBlock();
}

/** Whether a run of three tokens was seen often enough before. To be called for each token. */
function repetitions(): (run: number) => boolean {
  const runs = new Int32Array(SLOTS);
  const places = new Int32Array(SLOTS);
  const counts = new Uint8Array(SLOTS);
  let place = 0;
  return (run) => {
    const slot = run & (SLOTS - 1);
    const near = runs[slot] === run && place - (places[slot] ?? 0) < REPEATED_WITHIN;
    const count = near ? Math.min(MOST_REPEATS, (counts[slot] ?? 0) + 1) : 0;
    [runs[slot], places[slot], counts[slot]] = [run, place, count];
    place += 1;
    return count === MOST_REPEATS;
  };
}

function runsOf(letters: Uint16Array, length: number, sink: FeatureSink): void {
  for (let from = 0; from + 3 <= length; from += 1) {
    let hash = LETTERS;
    for (let at = from; at < from + 5 && at < length; at += 1) {
      hash = Math.imul(hash ^ (letters[at] ?? 0), PRIME);
      if (at >= from + 2) sink.feature(bucketOf(hash));
    }
  }
}

function isLetter(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x27;
  return code >= 0xc0 && (code < 0x2000 || code > 0x206f) && (code < 0x3000 || code > 0x303f) && (code < 0xff00 || code > 0xff0f);
}
