import { characterClass, DIGIT, LOWER, lowered, MARK, NEWLINE, OTHER_LETTER, SPACE, UPPER } from './characters.ts';
import { FIRST_HASH, HASH_FACTOR } from './hash.ts';

export const WORD = 0;
/** One capital letter with a full stop: "J." */
export const INITIAL = 1;
export const NUMBER = 2;
export const SIGN = 3;
/** White space that contains a line break. */
export const BREAK = 4;

export const SMALL = 0;
export const CAPITALISED = 1;
export const CAPITALS = 2;
export const MIXED = 3;
export const SINGLE_CAPITAL = 4;
const NO_LETTERS = 5;

/** A longer word is not a name. Its neighbours see only that it is long. */
export const LONGEST_WORD = 28;

/** Longer white space counts as a line break. */
const LONGEST_SPACE = 28;

/** A token's end depends on at most this many characters after it ("'s" and the character after that). */
const LOOKAHEAD = 3;

export interface Token {
  readonly kind: number;
  readonly start: number;
  readonly end: number;
  /** Hash of the word in lower case. */
  readonly hash: number;
  readonly shape: number;
  /** Number of spaces before the token. 0 after a line break. */
  readonly gap: number;
  /** The lists that contain the word, as bits. -1 until looked up. */
  lists: number;
}

const LONG_HASH = 0x1f3d5b79;
/** Numbers with up to this many digits are distinguished by their length. */
const MAX_DIGITS = 6;
const NUMBERS = 0x200000;
const FULL_STOP = 46;
const HYPHEN = 45;
const APOSTROPHE = 39;

/** Splits a text into tokens in one pass. The boundaries of a token depend on at most LOOKAHEAD characters around it. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let gap = 0;
  for (let at = 0; at < text.length; ) {
    const kind = characterClass(text.charCodeAt(at));
    if (kind === SPACE || kind === NEWLINE) {
      const end = endOfSpace(text, at);
      const lines = linesBetween(text, at, end);
      if (lines > 0) tokens.push({ kind: BREAK, start: at, end, hash: lines, shape: NO_LETTERS, gap: 0, lists: 0 });
      gap = lines > 0 ? 0 : end - at;
      at = end;
      continue;
    }
    const token = tokenAt(text, at, kind, gap);
    tokens.push(token);
    gap = 0;
    at = token.end;
  }
  return tokens;
}

function tokenAt(text: string, start: number, kind: number, gap: number): Token {
  if (kind === DIGIT) return numberAt(text, start, gap);
  if (kind === LOWER || kind === UPPER || kind === OTHER_LETTER) return wordAt(text, start, gap);
  return { kind: SIGN, start, end: start + 1, hash: text.charCodeAt(start), shape: NO_LETTERS, gap, lists: 0 };
}

function endOfSpace(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const kind = characterClass(text.charCodeAt(end));
    if (kind !== SPACE && kind !== NEWLINE) break;
  }
  return end;
}

/** 0, 1, or 2 for more. Long white space counts as 2, so that its start need not be known. */
function linesBetween(text: string, start: number, end: number): number {
  if (end - start > LONGEST_SPACE) return 2;
  let lines = 0;
  for (let at = start; at < end && lines < 2; at++) if (text.charCodeAt(at) === 10) lines++;
  if (lines > 0) return lines;
  for (let at = start; at < end; at++) if (characterClass(text.charCodeAt(at)) === NEWLINE) return 1;
  return 0;
}

function numberAt(text: string, start: number, gap: number): Token {
  let end = start + 1;
  while (end < text.length && characterClass(text.charCodeAt(end)) === DIGIT) end++;
  return { kind: NUMBER, start, end, hash: NUMBERS + Math.min(end - start, MAX_DIGITS), shape: NO_LETTERS, gap, lists: 0 };
}

function wordAt(text: string, start: number, gap: number): Token {
  let end = start;
  let hash = FIRST_HASH;
  let capitals = 0;
  let small = 0;
  const first = characterClass(text.charCodeAt(start));
  for (; end < text.length; end++) {
    let code = text.charCodeAt(end);
    const kind = characterClass(code);
    if (kind === UPPER) capitals++;
    else if (kind === LOWER) small++;
    else if (kind === MARK || kind === OTHER_LETTER) {
    } else if (joins(text, end, code)) code = isHyphen(code) ? HYPHEN : APOSTROPHE;
    else break;
    hash = Math.imul(hash ^ lowered(code), HASH_FACTOR);
  }
  const length = end - start;
  if (length > LONGEST_WORD) return { kind: WORD, start, end, hash: LONG_HASH, shape: MIXED, gap, lists: 0 };
  if (length === 1 && capitals === 1) {
    if (text.charCodeAt(end) === FULL_STOP && !isLetter(text, end + 1, LOWER))
      return { kind: INITIAL, start, end: end + 1, hash, shape: SINGLE_CAPITAL, gap, lists: 0 };
    return { kind: WORD, start, end, hash, shape: SINGLE_CAPITAL, gap, lists: -1 };
  }
  return { kind: WORD, start, end, hash, shape: shapeOf(first, capitals, small), gap, lists: -1 };
}

function shapeOf(first: number, capitals: number, small: number): number {
  if (first === UPPER) return small === 0 ? CAPITALS : capitals === 1 ? CAPITALISED : MIXED;
  return capitals === 0 ? SMALL : NO_LETTERS;
}

/** Whether it is a hyphen or an apostrophe between two letters. The apostrophe of a possessive, "'s" without a letter after it, does not count. */
function joins(text: string, at: number, code: number): boolean {
  if (!isAnyLetter(text, at + 1)) return false;
  if (isHyphen(code)) return true;
  if (!isApostrophe(code)) return false;
  return (text.charCodeAt(at + 1) | 32) !== 115 || isAnyLetter(text, at + 2);
}

function isHyphen(code: number): boolean {
  return code === HYPHEN || code === 0x2010 || code === 0x2011;
}

function isApostrophe(code: number): boolean {
  return code === APOSTROPHE || code === 0x2019;
}

function mayJoin(code: number, length: number): boolean {
  return isHyphen(code) || isApostrophe(code) || (code === FULL_STOP && length === 1);
}

function isLetter(text: string, at: number, kind: number): boolean {
  return at < text.length && characterClass(text.charCodeAt(at)) === kind;
}

function isAnyLetter(text: string, at: number): boolean {
  if (at >= text.length) return false;
  const kind = characterClass(text.charCodeAt(at));
  return kind === LOWER || kind === UPPER || kind === OTHER_LETTER;
}

/** Whether the token is final, whatever follows the text. */
export function isFixed(text: string, { kind, start, end, hash }: Token): boolean {
  switch (kind) {
    case SIGN:
      return true;
    case NUMBER:
      return end < text.length || hash === NUMBERS + MAX_DIGITS;
    case WORD:
      if (end - start > LONGEST_WORD || text.length >= end + LOOKAHEAD) return true;
      return end < text.length && !mayJoin(text.charCodeAt(end), end - start);
    default:
      return text.length >= end + LOOKAHEAD || (kind === BREAK && end < text.length);
  }
}
