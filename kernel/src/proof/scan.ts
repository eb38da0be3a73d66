/**
 * Reads canonical JSON (RFC 8785) in one pass over its bytes. Each function is given where a value begins and says where it ends, or
 * `NO`. What is accepted is canonical; not all that is canonical is accepted: keys with escapes or outside ASCII, fractions, large
 * numbers and deep nesting are left to the plain check. The bytes are UTF-8, which the caller has made sure of, with a 0 behind them.
 */

export const NO = -1;

/** Says where a value that begins there ends, if it is as it should be; else `NO`. */
export type EndOf = (bytes: Uint8Array, at: number) => number;

export const QUOTE = 0x22;
export const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
export const LIST = 0x5b;
const BACKSLASH = 0x5c;
export const LIST_END = 0x5d;
export const OBJECT = 0x7b;
export const OBJECT_END = 0x7d;
const SPACE = 0x20;
const ASCII = 0x80;

/** Any integer of so many digits is a double, and is written as it is. */
const MOST_DIGITS = 15;
const MOST_LEVELS = 64;

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
export const NULL = Buffer.from('null');

/** What follows a backslash where there is a short form. */
const SHORT = Uint8Array.from({ length: 256 }, (_, byte) => Number('"\\bfnrt'.includes(String.fromCharCode(byte))));
/** Control characters without a short form. */
const LONG = new Set(
  Array.from({ length: 0x20 }, (_, code) => code)
    .filter((code) => !'\b\f\n\r\t'.includes(String.fromCharCode(code)))
    .map((code) => `u${code.toString(16).padStart(4, '0')}`),
);

export function endOfAny(bytes: Uint8Array, at: number, level = 0): number {
  const first = bytes[at] ?? 0;
  if (first === QUOTE) return endOfText(bytes, at);
  if (first === OBJECT) return endOfObject(bytes, at, level + 1);
  if (first === LIST) return endOfList(bytes, at, level + 1);
  if (first <= NINE) return endOfInteger(bytes, at);
  if (first === NULL[0]) return endOfWord(bytes, at, NULL);
  return endOfWord(bytes, at, first === TRUE[0] ? TRUE : FALSE);
}

export function endOfWord(bytes: Uint8Array, at: number, word: Uint8Array): number {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return NO;
  return at + word.length;
}

export function endOfInteger(bytes: Uint8Array, at: number): number {
  const begin = bytes[at] === MINUS ? at + 1 : at;
  let end = begin;
  while (isDigit(bytes[end] ?? 0)) end += 1;
  const digits = end - begin;
  if (digits === 0 || digits > MOST_DIGITS) return NO;
  // Neither 01 nor -0.
  return bytes[begin] === ZERO && (digits > 1 || begin > at) ? NO : end;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

export function endOfText(bytes: Uint8Array, begin: number): number {
  if (bytes[begin] !== QUOTE) return NO;
  for (let at = begin + 1; ; at++) {
    const byte = bytes[at] ?? 0;
    // Most letters: nothing else is asked of them.
    if (byte > BACKSLASH) continue;
    if (byte === QUOTE) return at + 1;
    if (byte < SPACE) return NO;
    if (byte !== BACKSLASH) continue;
    at = endOfEscape(bytes, at + 1) - 1;
    if (at < begin) return NO;
  }
}

function endOfEscape(bytes: Uint8Array, at: number): number {
  if (SHORT[bytes[at] ?? 0] === 1) return at + 1;
  return LONG.has(String.fromCharCode(...bytes.subarray(at, at + 5))) ? at + 5 : NO;
}

/** Of a key and its colon. */
export function endOfKey(bytes: Uint8Array, begin: number): number {
  if (bytes[begin] !== QUOTE) return NO;
  for (let at = begin + 1; ; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return bytes[at + 1] === COLON ? at + 2 : NO;
    if (byte < SPACE || byte === BACKSLASH || byte >= ASCII) return NO;
  }
}

/**
 * Whether one quoted key sorts before another: at the first difference, or because it ends first. Without escapes and within ASCII the
 * order of bytes is that of UTF-16 code units.
 */
export function isBefore(bytes: Uint8Array, key: number, other: number): boolean {
  for (let i = 1; ; i++) {
    const byte = bytes[key + i] ?? 0;
    const against = bytes[other + i] ?? 0;
    if (byte === against && byte !== QUOTE) continue;
    return against !== QUOTE && (byte === QUOTE || byte < against);
  }
}

function endOfList(bytes: Uint8Array, begin: number, level: number): number {
  if (bytes[begin + 1] === LIST_END) return begin + 2;
  if (level > MOST_LEVELS) return NO;
  let at = begin;
  do {
    at = endOfAny(bytes, at + 1, level);
    if (at === NO) return NO;
  } while (bytes[at] === COMMA);
  return bytes[at] === LIST_END ? at + 1 : NO;
}

function endOfObject(bytes: Uint8Array, begin: number, level: number): number {
  if (bytes[begin + 1] === OBJECT_END) return begin + 2;
  if (level > MOST_LEVELS) return NO;
  let at = begin;
  /** Where the key before begins. */
  let last = NO;
  do {
    const key = at + 1;
    const value = endOfKey(bytes, key);
    if (value === NO || (last !== NO && !isBefore(bytes, last, key))) return NO;
    last = key;
    at = endOfAny(bytes, value, level);
    if (at === NO) return NO;
  } while (bytes[at] === COMMA);
  return bytes[at] === OBJECT_END ? at + 1 : NO;
}
