import { isAlphanumeric, isDigit, isWordCharacter } from './text/characters.ts';

/** Maximum length in code units of a finding that contains spaces: a grouped IBAN, or a phone number with its extension. */
const MAX_SPACED = 48;
/** Maximum length in code units of a finding without spaces, such as an e-mail address. */
const MAX_UNSPACED = 330;

/** The start of a finding that more text may change: the start of the last run of characters, or an earlier one if a grouped number continues. */
export function openEnd(text: string): number {
  const end = text.length;
  let start = end;
  while (start > 0 && end - start < MAX_UNSPACED && isRun(text.charCodeAt(start - 1))) start -= 1;
  const least = end - MAX_SPACED;
  const groups = start > least ? groupsBefore(text, start, Math.max(0, least)) : start;
  return Math.min(start, groups, openIban(text));
}

/** Like {@link openEnd}, for text without digits and without signs of findings, in which nothing begins. Null for any other text. */
export function plainEnd(text: string, from: number): number | null {
  let start = from;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code) || code === AT || code === COLON || code === CLOSING) return null;
    if (!isRun(code)) start = at + 1;
  }
  return start;
}

/** The start of the groups of digits that continue at `start`. */
function groupsBefore(text: string, start: number, least: number): number {
  const next = text.charCodeAt(start);
  if (start < text.length && !isDigit(next) && next !== OPENING && !isLoneSign(text, start)) return start;
  let at = start;
  while (at > least) {
    const gap = gapBefore(text, at);
    if (gap === 0) break;
    at -= gap;
    while (at > least && isRun(text.charCodeAt(at - 1))) at -= 1;
  }
  return at;
}

/** The length of the gap between two groups of digits, such as ` ` or ` / `. 0 if there is no group before it. */
function gapBefore(text: string, at: number): number {
  if (!GAPS.has(text.charAt(at - 1))) return 0;
  if (endsGroup(text.charCodeAt(at - 2))) return 1;
  return isLoneSign(text, at - 2) && isDigit(text.charCodeAt(at - 4)) ? 3 : 0;
}

/** Whether it is a slash or hyphen between spaces, as in `089 / 123456`. */
function isLoneSign(text: string, at: number): boolean {
  return (
    '/-'.includes(text.charAt(at) || ' ') &&
    text.charAt(at - 1) === ' ' &&
    (at + 1 === text.length || text.charAt(at + 1) === ' ')
  );
}

/** The start of an incomplete IBAN. */
function openIban(text: string): number {
  const from = Math.max(0, text.length - MAX_SPACED);
  const tail = text.slice(from);
  if (!IBAN_BEGINNING.test(tail)) return text.length;
  const open = OPEN_IBAN.exec(tail);
  return open === null ? text.length : from + open.index;
}
const IBAN_BEGINNING = /[A-Za-z]{2}\d{2}/;
const OPEN_IBAN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){0,34}[ -]?$/;

const GAPS: ReadonlySet<string> = new Set([' ', '\t', '\n']);
const AT = 64;
const COLON = 58;
const OPENING = 40;
const CLOSING = 41;

function endsGroup(code: number): boolean {
  return isDigit(code) || code === CLOSING;
}

/** Whether it is a character of findings without spaces. */
function isRun(code: number): boolean {
  return isAlphanumeric(code) || isWordCharacter(code) || SIGNS.has(code);
}
const SIGNS: ReadonlySet<number> = new Set([..."._%+'&@:-/()"].map((sign) => sign.charCodeAt(0)));
