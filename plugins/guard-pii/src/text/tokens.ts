import { isAlphanumeric, isDigit, isWordCharacter } from './characters.ts';

/** Maximum number of groups that are read. No entity has more. A number has the same sign between all groups. */
const MAX_GROUPS = 8;

/** The digits from a token on. `123-45-6789` is three groups. */
export interface DigitRun {
  readonly digits: string;
  /** Length of each group. */
  readonly groups: readonly number[];
  /** End of each group in the text. */
  readonly ends: readonly number[];
}

/** A run of ASCII letters and digits with at least one digit, and no letter before or after it. */
export interface Token {
  readonly start: number;
  readonly end: number;
  /** Read lazily. Null if the token is not all digits. */
  readonly run: DigitRun | null;
}

class LazyToken implements Token {
  readonly start: number;
  readonly end: number;
  readonly #text: string;
  #run: DigitRun | null | undefined;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.start = start;
    this.end = end;
  }

  get run(): DigitRun | null {
    if (this.#run === undefined) this.#run = readRun(this.#text, this.start);
    return this.#run;
  }
}

/** Every token that starts at `from` or later. Takes one pass over the text, which stops only at digits. */
export function* tokens(text: string, from: number): Generator<Token> {
  const digit = /\d/g;
  for (let at = from; ; ) {
    digit.lastIndex = at;
    const found = digit.exec(text);
    if (found === null) return;
    let start = found.index;
    while (start > 0 && isAlphanumeric(text.charCodeAt(start - 1))) start -= 1;
    let end = digit.lastIndex;
    while (end < text.length && isAlphanumeric(text.charCodeAt(end))) end += 1;
    at = end;
    const isWhole =
      !isWordCharacter(text.charCodeAt(start - 1)) && (end === text.length || !isWordCharacter(text.charCodeAt(end)));
    if (start >= from && isWhole && !isVersion(text, start)) yield new LazyToken(text, start, end);
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

function readRun(text: string, start: number): DigitRun | null {
  const groups: number[] = [];
  const ends: number[] = [];
  let digits = '';
  for (let at = start; groups.length < MAX_GROUPS; ) {
    let end = at;
    while (isDigit(text.charCodeAt(end))) end += 1;
    if (end === at || isWordCharacter(text.charCodeAt(end))) break;
    digits += text.slice(at, end);
    groups.push(end - at);
    ends.push(end);
    if (!SEPARATORS.has(text.charAt(end))) break;
    at = end + 1;
  }
  return groups.length === 0 ? null : { digits, groups, ends };
}

const SEPARATORS: ReadonlySet<string> = new Set([' ', '-', '.', '/', '\t', '\n']);
