import { isAlphanumeric, isDigit, isWordCharacter } from './text/characters.ts';

/** No finding with spaces in it is longer, in code units: an IBAN in groups, a phone number with its extension. */
const MAX_SPACED = 48;
/** Nor is one without, an e-mail address. */
const MAX_UNSPACED = 330;

/**
 * Where a finding may begin that more text would change: at the beginning of the run of signs at the end of the text, or before it where
 * a number in groups goes on.
 */
export function openEnd(text: string): number {
  const end = text.length;
  let start = end;
  while (start > 0 && end - start < MAX_UNSPACED && isRun(text.charCodeAt(start - 1))) start -= 1;
  const least = end - MAX_SPACED;
  const groups = start > least ? groupsBefore(text, start, Math.max(0, least)) : start;
  return Math.min(start, groups, openIban(text));
}

/** As {@link openEnd} of a text without digits and signs that findings have: none begins there. Null for any other text. */
export function plainEnd(text: string, from: number): number | null {
  let start = from;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code) || code === AT || code === COLON || code === CLOSING) return null;
    if (!isRun(code)) start = at + 1;
  }
  return start;
}

/** Where groups of digits begin that go on in what stands at `start`. */
function groupsBefore(text: string, start: number, least: number): number {
  const next = text.charCodeAt(start);
  if (start < text.length && !isDigit(next) && next !== OPENING) return start;
  let at = start;
  while (at > least && GAPS.has(text.charAt(at - 1)) && endsGroup(text.charCodeAt(at - 2))) {
    at -= 1;
    while (at > least && isRun(text.charCodeAt(at - 1))) at -= 1;
  }
  return at;
}

/** Where an IBAN begins that is not long enough yet. */
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

/** What findings without spaces are made of. */
function isRun(code: number): boolean {
  return isAlphanumeric(code) || isWordCharacter(code) || SIGNS.has(code);
}
const SIGNS: ReadonlySet<number> = new Set([..."._%+'&@:-/()"].map((sign) => sign.charCodeAt(0)));
