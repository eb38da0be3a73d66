import { RE2JS } from 're2js';

/** The properties of a pattern that matter to a stream. */
export interface PatternShape {
  /**
   * The longest text that the pattern can match, in UTF-16 code units; Infinity if there is no bound. At least that: a part that can
   * never match counts, and so do two code units for each character of a Unicode class.
   */
  readonly longest: number;
  /**
   * A pattern of the beginnings that more text could make a match, the empty one included, where they reach the end of the text. An
   * assertion that the end of the text would decide is one that more text decides.
   */
  readonly begun: string;
}

/** @param pattern in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax); it must compile */
export function patternShape(pattern: string): PatternShape {
  let group = newGroup('');
  const outer: Group[] = [];
  for (const { 0: token, groups: { quoted, flags, open, repetition, assertion } = {} } of pattern.matchAll(TOKEN)) {
    if (flags !== undefined) group.flags = changed(group.flags, flags);
    else if (open !== undefined) {
      outer.push(group);
      group = newGroup(changed(group.flags, open));
    } else if (token === ')') {
      const inner = alternatives(group);
      group = outer.pop() ?? newGroup('');
      group.parts.push(inner);
    } else if (token === '|') {
      group.before.push(sequence(group.parts));
      group.parts = [];
    } else if (repetition !== undefined) group.parts.push(repeated(group.parts.pop() ?? EMPTY, repetition));
    else if (quoted !== undefined) group.parts.push(...[...quoted].map((one) => atom(RE2JS.quote(one), one.length, group)));
    else group.parts.push(atom(token, widthOf(token, assertion !== undefined), group));
  }
  const { longest, begun } = alternatives(group);
  return { longest, begun: `(?:${begun})\\z` };
}

const CHARACTER = String.raw`(?:\\(?:x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)|[^\]\\])`;
const CLASS_ESCAPE = String.raw`\\(?:[pP](?:\{[^}]*\}|.)|[dswDSW])`;
const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    String.raw`\(\?(?<flags>[imsU-]*)\)`,
    String.raw`\((?<open>\?(?:P?<\w+>|[imsU-]*:)|(?!\?))`,
    // What is not quite this, such as {,3} or {01}, is read as characters.
    String.raw`(?<repetition>(?:[*+?]|\{(?:0|[1-9]\d*)(?:,(?:0|[1-9]\d*)?)?\})\??)`,
    String.raw`(?<assertion>\\[AbBz]|[\^$])`,
    // A ] that stands first is a character, and so is a [ that ends a range.
    String.raw`\[\^?(?:\](?:-${CHARACTER})?)?(?:\[:\^?\w+:\]|${CLASS_ESCAPE}|${CHARACTER}(?:-${CHARACTER})?)*\]`,
    CLASS_ESCAPE,
    CHARACTER,
    '.',
  ].join('|'),
  'gsu',
);

/** A part of a pattern: the part itself, its {@link PatternShape.begun beginnings}, and its length. */
interface Part {
  readonly whole: string;
  readonly begun: string;
  readonly longest: number;
}

const EMPTY: Part = { whole: '', begun: '', longest: 0 };

/** What stands between two brackets, as far as it is read. */
interface Group {
  /** The alternatives before this one. */
  readonly before: Part[];
  /** Of this alternative. */
  parts: Part[];
  /** Those of `i`, `m` and `s` that are set. */
  flags: string;
}

function newGroup(flags: string): Group {
  return { before: [], parts: [], flags };
}

function alternatives({ before, parts }: Group): Part {
  const all = [...before, sequence(parts)];
  return {
    whole: `(?:${all.map(({ whole }) => whole).join('|')})`,
    begun: `(?:${all.map(({ begun }) => begun).join('|')})`,
    longest: Math.max(...all.map(({ longest }) => longest)),
  };
}

/** Of several parts the first is begun, or it is there and the others are. */
function sequence(parts: readonly Part[]): Part {
  if (parts.length === 0) return EMPTY;
  return parts.reduceRight((rest, first) => ({
    whole: first.whole + rest.whole,
    begun: `(?:${first.begun}|${first.whole}${rest.begun})`,
    longest: first.longest + rest.longest,
  }));
}

function atom(token: string, longest: number, { flags }: Group): Part {
  return { whole: flags === '' ? token : `(?${flags}:${token})`, begun: '', longest };
}

function repeated({ whole, begun, longest }: Part, repetition: string): Part {
  const most = mostTimes(repetition);
  if (most === 0) return EMPTY;
  const some = most === Infinity ? `(?:${whole})*` : `(?:${whole}){0,${most - 1}}`;
  return {
    whole: `(?:${whole})${repetition}`,
    begun: most === 1 ? begun : some + begun,
    longest: most === Infinity ? Infinity : longest * most,
  };
}

function mostTimes(repetition: string): number {
  if (repetition.startsWith('?')) return 1;
  return Number(/(\d{1,15})\}/.exec(repetition)?.[1] ?? Infinity);
}

/** Flags that are set behind `i-s` and the like. */
function changed(flags: string, written: string): string {
  const [on = '', off = ''] = /^\??([imsU]*)(?:-([imsU]*))?/.exec(written)?.slice(1) ?? [];
  return [...'ims'].filter((flag) => on.includes(flag) || (flags.includes(flag) && !off.includes(flag))).join('');
}

function widthOf(token: string, isAssertion: boolean): number {
  if (isAssertion) return 0;
  return WIDE.test(token) ? 2 : 1;
}

/** Whether a character or a class may be beyond U+FFFF. Folding case leads no character from one code unit to two. */
const WIDE = /^\.$|^\[\^|\[:\^|\\[DSWpP]|[\u{10000}-\u{10FFFF}]|\\x\{0*[1-9a-fA-F][0-9a-fA-F]{4,}\}/u;
