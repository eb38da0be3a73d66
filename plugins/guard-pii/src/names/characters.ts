const OTHER = 0;
export const SPACE = 1;
export const NEWLINE = 2;
export const LOWER = 3;
export const UPPER = 4;
/** Letters without case. */
export const OTHER_LETTER = 5;
/** Combining marks, which are part of the word that contains them. */
export const MARK = 6;
export const DIGIT = 7;

/** The table covers all scripts that have case, except a few rare ones. */
const TABLE_SIZE = 0x2100;

const small = new Uint16Array(TABLE_SIZE);
for (let code = 0; code < TABLE_SIZE; code++) {
  const lower = String.fromCharCode(code).toLowerCase();
  small[code] = lower.length === 1 ? lower.charCodeAt(0) : code;
}

const UNKNOWN = 255;
/** A cache of classes by code unit. */
const classes = new Uint8Array(0x10000).fill(UNKNOWN);

function classOf(character: string): number {
  if (/[\n\r\u2028\u2029\v\f\u0085]/u.test(character)) return NEWLINE;
  if (/\s/u.test(character)) return SPACE;
  if (/\p{Nd}/u.test(character)) return DIGIT;
  if (/\p{M}/u.test(character)) return MARK;
  if (!/\p{L}/u.test(character)) return OTHER;
  if (/[\p{Lu}\p{Lt}]/u.test(character)) return UPPER;
  return /\p{Ll}/u.test(character) ? LOWER : OTHER_LETTER;
}

/** The class of a UTF-16 code unit. OTHER for half of a surrogate pair. */
export function characterClass(code: number): number {
  const known = classes[code] ?? OTHER;
  return known === UNKNOWN ? learned(code) : known;
}

/** Whether there is a letter at `from` or later. Every name begins with one. */
export function hasLetter(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) {
    const kind = characterClass(text.charCodeAt(at));
    if (kind === LOWER || kind === UPPER || kind === OTHER_LETTER) return true;
  }
  return false;
}

function learned(code: number): number {
  const kind = classOf(String.fromCharCode(code));
  classes[code] = kind;
  return kind;
}

export function lowered(code: number): number {
  return code < TABLE_SIZE ? (small[code] ?? code) : code;
}
