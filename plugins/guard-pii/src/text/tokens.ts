import { isAlphanumeric, isWordCharacter } from './characters.ts';
import { type DigitGroup, digitGroups } from './digit-groups.ts';

/** A run of ASCII letters and digits with at least one digit, and no letter before or after it. */
export interface Token {
  readonly start: number;
  readonly end: number;
  /** The first digits in it. */
  readonly group: DigitGroup;
}

/** Every token that starts at `from` or later. Takes one pass over the text, which stops only at digits. */
export function* tokens(text: string, from: number): Generator<Token> {
  let end = from;
  for (const group of digitGroups(text, from)) {
    if (group.start < end) continue;
    let { start } = group;
    while (start > 0 && isAlphanumeric(text.charCodeAt(start - 1))) start -= 1;
    ({ end } = group);
    while (end < text.length && isAlphanumeric(text.charCodeAt(end))) end += 1;
    const isWhole =
      !isWordCharacter(text.charCodeAt(start - 1)) && (end === text.length || !isWordCharacter(text.charCodeAt(end)));
    if (start >= from && isWhole && !isVersion(text, start)) yield { start, end, group };
  }
}

/** Whether the token starts the date at the end of an identifier, as in `text_editor_20250728` and `claude-opus-4-20250514`. */
function isVersion(text: string, start: number): boolean {
  if (!JOINS.has(text.charAt(start - 1)) || !isAlphanumeric(text.charCodeAt(start - 2))) return false;
  VERSION.lastIndex = start;
  return VERSION.test(text) && /[a-z]/i.test(text.slice(Math.max(0, start - LONGEST_STEM), start));
}
const JOINS: ReadonlySet<string> = new Set(['_', '-']);
const VERSION = /(?:\d{1,2}[-.]){0,2}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?![A-Za-z0-9])(?![-.]\d)/y;
const LONGEST_STEM = 4;
