/**
 * The longest text that a pattern can match, in UTF-16 code units; Infinity where there is no bound. At least that: a part that can
 * never match counts, and so do two code units for each character of a Unicode class.
 *
 * @param pattern in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax); it must compile
 */
export function longestMatch(pattern: string): number {
  let group = newGroup();
  const outer: Group[] = [];
  for (const { 0: token, groups: { quoted, flags, open, unknown, repetition, assertion } = {} } of pattern.matchAll(TOKEN)) {
    if (unknown !== undefined) return Infinity;
    if (flags !== undefined) continue;
    if (open !== undefined) {
      outer.push(group);
      group = newGroup();
    } else if (token === ')') {
      const length = longestOf(group);
      group = outer.pop() ?? newGroup();
      append(group, length);
    } else if (token === '|') group = { ...newGroup(), longest: longestOf(group) };
    else if (repetition !== undefined) group.last = repeated(group.last, repetition);
    else if (quoted !== undefined) for (const character of quoted) append(group, character.length);
    else append(group, widthOf(token, assertion !== undefined));
  }
  return longestOf(group);
}

const CHARACTER = String.raw`(?:\\(?:x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)|[^\]\\])`;
const CLASS_ESCAPE = String.raw`\\(?:[pP](?:\{[^}]*\}|.)|[dswDSW])`;
const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    String.raw`(?<flags>\(\?[imsU-]*\))`,
    String.raw`(?<open>\((?:\?(?:P?<\w+>|[imsU-]*:)|(?!\?)))`,
    String.raw`(?<unknown>\(\?)`,
    // What is not quite this, such as {,3} or {01}, is read as characters.
    String.raw`(?<repetition>[*+?]|\{(?:0|[1-9]\d*)(?:,(?:0|[1-9]\d*)?)?\})`,
    String.raw`(?<assertion>\\[AbBz]|[\^$])`,
    // A ] that stands first is a character, and so is a [ that ends a range.
    String.raw`\[\^?(?:\](?:-${CHARACTER})?)?(?:\[:\^?\w+:\]|${CLASS_ESCAPE}|${CHARACTER}(?:-${CHARACTER})?)*\]`,
    CLASS_ESCAPE,
    CHARACTER,
    '.',
  ].join('|'),
  'gsu',
);

/** What stands between two brackets, as far as it is read. */
interface Group {
  /** Of the alternatives before this one. */
  readonly longest: number;
  /** Of this alternative, without its last part, which a repetition may still follow. */
  before: number;
  last: number;
}

function newGroup(): Group {
  return { longest: 0, before: 0, last: 0 };
}

function longestOf({ longest, before, last }: Group): number {
  return Math.max(longest, before + last);
}

function append(group: Group, length: number): void {
  group.before += group.last;
  group.last = length;
}

/** A `?` that makes another repetition lazy reads as "at most once", which changes nothing. */
function repeated(length: number, repetition: string): number {
  if (repetition === '?') return length;
  const most = Number(/(\d+)\}$/.exec(repetition)?.[1] ?? Infinity);
  if (most === 0) return 0;
  return most === Infinity ? Infinity : length * most;
}

function widthOf(token: string, isAssertion: boolean): number {
  if (isAssertion) return 0;
  return WIDE.test(token) ? 2 : 1;
}

/** Whether a character or a class may be beyond U+FFFF. Folding case leads no character from one code unit to two. */
const WIDE = /^\.$|^\[\^|\[:\^|\\[DSWpP]|[\u{10000}-\u{10FFFF}]|\\x\{0*[1-9a-fA-F][0-9a-fA-F]{4,}\}/u;
