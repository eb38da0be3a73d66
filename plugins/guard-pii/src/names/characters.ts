const OTHER = 0;
export const SPACE = 1;
export const NEWLINE = 2;
export const LOWER = 3;
export const UPPER = 4;
/** Letters without case. */
export const OTHER_LETTER = 5;
/** Combining marks: part of the word they stand in. */
export const MARK = 6;
export const DIGIT = 7;

/** Every script with case but for a few rare ones lies below. */
const TABLE_SIZE = 0x2100;

const classes = new Uint8Array(TABLE_SIZE);
const small = new Uint16Array(TABLE_SIZE);
for (let code = 0; code < TABLE_SIZE; code++) {
  const character = String.fromCharCode(code);
  classes[code] = classOf(character);
  const lower = character.toLowerCase();
  small[code] = lower.length === 1 ? lower.charCodeAt(0) : code;
}

function classOf(character: string): number {
  if (/[\n\r\u2028\u2029\v\f\u0085]/u.test(character)) return NEWLINE;
  if (/\s/u.test(character)) return SPACE;
  if (/\p{Nd}/u.test(character)) return DIGIT;
  if (/\p{M}/u.test(character)) return MARK;
  if (!/\p{L}/u.test(character)) return OTHER;
  if (/[\p{Lu}\p{Lt}]/u.test(character)) return UPPER;
  return /\p{Ll}/u.test(character) ? LOWER : OTHER_LETTER;
}

/** Of a UTF-16 code unit; halves of a surrogate pair are OTHER. */
export function characterClass(code: number): number {
  if (code < TABLE_SIZE) return classes[code] ?? OTHER;
  return isIdeographOrHangul(code) ? OTHER_LETTER : classOf(String.fromCharCode(code));
}

function isIdeographOrHangul(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3);
}

/** The code unit in lower case. */
export function lowered(code: number): number {
  return code < TABLE_SIZE ? (small[code] ?? code) : code;
}
