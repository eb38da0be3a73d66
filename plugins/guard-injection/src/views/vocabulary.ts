import { COMMON, TARGETS } from './vocabulary.generated.ts';

const common = COMMON.split(' ');
const targets = TARGETS.split(' ');

/** The rank of each word that needs no repair. */
const RANKS = new Map(targets.map((word) => [word, common.length]));
for (const [rank, word] of common.entries())
  for (const form of [word, word.replace("'", '')])
    if (!RANKS.has(form) || RANKS.get(form) === common.length) RANKS.set(form, rank + 1);

/** Whether this is a common English word. */
export function isKnown(word: string): boolean {
  return RANKS.has(word);
}

/** Words without one of their letters, to find the word that a misspelt one may stand for (symmetric deletion). */
const BY_DELETION = new Map<string, string>();
/** Words without repeated letters. */
const BY_SINGLE = new Map<string, string>();
/** The first letter and the sorted rest: identifies a word whose inner letters were shuffled. */
const BY_LETTERS = new Map<string, string>();
for (const word of targets.toReversed()) {
  for (const part of [word, ...deletions(word)]) BY_DELETION.set(part, word);
  BY_LETTERS.set(lettersOf(word), word);
}
for (const word of RANKS.keys()) if (singled(word) !== word && !RANKS.has(singled(word))) BY_SINGLE.set(singled(word), word);

/** The word that this one is after each repeated letter is written once. */
export function undoubled(word: string): string | undefined {
  const single = singled(word);
  if (single === word) return undefined;
  return isKnown(single) ? single : BY_SINGLE.get(single);
}

/** A word of attacks that differs in one letter, or in the order of the letters after the first. */
export function corrected(word: string): string | undefined {
  if (word.length < 3 || word.length > 16) return undefined;
  const direct = BY_DELETION.get(word);
  if (direct !== undefined) return direct;
  for (const part of deletions(word)) {
    const found = BY_DELETION.get(part);
    // Two letters that were exchanged, one replaced, or one added; not one removed from each of two places.
    if (found !== undefined && Math.abs(found.length - word.length) <= 1 && isOneOff(word, found)) return found;
  }
  return word.length < 5 ? undefined : BY_LETTERS.get(lettersOf(word));
}

/** Equal apart from one letter, one more letter, or two neighbours in the wrong order. */
function isOneOff(word: string, other: string): boolean {
  let start = 0;
  while (start < word.length && word[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(word.length, other.length) - start && word.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [left, right] = [word.slice(start, word.length - end), other.slice(start, other.length - end)];
  return (
    (left.length <= 1 && right.length <= 1) ||
    (left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0])
  );
}

function deletions(word: string): string[] {
  return Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1));
}

function singled(word: string): string {
  return word.replace(/(.)\1{1,40}/g, '$1');
}

function lettersOf(word: string): string {
  return word.charAt(0) + [...word.slice(1)].sort().join('');
}

const MAX_WORD = 16;
/** The cost of a letter that belongs to no word. */
const UNKNOWN = 14;
/** At most this share of the letters may belong to no word; in a short text, none. */
const MAX_UNKNOWN = 0.2;
const SHORT = 12;

/** Separates the words of a text without spaces: the most probable ones, by their ranks. Undefined if many letters are in no word. */
export function segmented(letters: string): string | undefined {
  const starts = cheapest(letters);
  const words: string[] = [];
  let unknown = 0;
  for (let end = letters.length; end > 0; end = starts[end] ?? 0) {
    const word = letters.slice(starts[end], end);
    if (!isKnown(word)) unknown += 1;
    words.push(word);
  }
  return unknown > (letters.length < SHORT ? 0 : letters.length * MAX_UNKNOWN) ? undefined : words.reverse().join(' ');
}

/** Letters by which words are looked up first, because most runs of letters begin no word. */
const HEAD = 3;
/** The length of the longest word that begins with these letters. */
const LONGEST = new Map<string, number>();
for (const word of RANKS.keys()) {
  const head = word.slice(0, HEAD);
  LONGEST.set(head, Math.max(LONGEST.get(head) ?? 0, Math.min(MAX_WORD, word.length)));
}

/** Where the word before each position starts, in the cheapest division. */
function cheapest(letters: string): Int32Array {
  const costs = new Float64Array(letters.length + 1).fill(Number.POSITIVE_INFINITY);
  const starts = new Int32Array(letters.length + 1);
  costs[0] = 0;
  for (let start = 0; start < letters.length; start += 1) {
    const longest = Math.max(HEAD - 1, LONGEST.get(letters.slice(start, start + HEAD)) ?? 0);
    for (let end = start + 1; end <= Math.min(letters.length, start + longest); end += 1) {
      const cost = (costs[start] ?? 0) + costOf(letters.slice(start, end));
      if (cost < (costs[end] ?? 0)) [costs[end], starts[end]] = [cost, start];
    }
  }
  return starts;
}

function costOf(word: string): number {
  const rank = RANKS.get(word);
  if (rank !== undefined) return Math.log(rank + 20);
  return word.length === 1 ? UNKNOWN : Number.POSITIVE_INFINITY;
}
