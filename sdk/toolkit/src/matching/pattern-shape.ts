import { RE2JS } from 're2js';

/** The properties of a pattern that matter to a stream. */
export interface PatternShape {
  /**
   * Upper bound of the length of a match, in UTF-16 code units. Infinity if there is none. Parts that can never match are included, and each
   * character of a Unicode class counts as two code units.
   */
  readonly longest: number;
  /**
   * A pattern for text at the end that more text could turn into a match, including the empty text. Assertions that depend on the end of the text
   * count as satisfied.
   */
  readonly begun: string;
}

/** @param pattern in RE2 syntax (https://github.com/google/re2/wiki/Syntax); it must compile */
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
    // Anything else, such as {,3} or {01}, is literal.
    String.raw`(?<repetition>(?:[*+?]|\{(?:0|[1-9]\d*)(?:,(?:0|[1-9]\d*)?)?\})\??)`,
    String.raw`(?<assertion>\\[AbBz]|[\^$])`,
    // A leading ] is literal, and so is a [ at the end of a range.
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

/** The content of a group, as parsed so far. */
interface Group {
  /** The earlier alternatives. */
  readonly before: Part[];
  /** The parts of the current alternative. */
  parts: Part[];
  /** The active flags among `i`, `m` and `s`. */
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

/** A prefix of a sequence is a prefix of its first part, or that part followed by a prefix of the rest. */
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

/** The flags after a change such as `i-s`. */
function changed(flags: string, written: string): string {
  const [on = '', off = ''] = /^\??([imsU]*)(?:-([imsU]*))?/.exec(written)?.slice(1) ?? [];
  return [...'ims'].filter((flag) => on.includes(flag) || (flags.includes(flag) && !off.includes(flag))).join('');
}

function widthOf(token: string, isAssertion: boolean): number {
  if (isAssertion) return 0;
  return WIDE.test(token) ? 2 : 1;
}

/** Matches parts of a pattern that may match beyond U+FFFF. Case folding never turns one code unit into two. */
const WIDE = /^\.$|^\[\^|\[:\^|\\[DSWpP]|[\u{10000}-\u{10FFFF}]|\\x\{0*[1-9a-fA-F][0-9a-fA-F]{4,}\}/u;
