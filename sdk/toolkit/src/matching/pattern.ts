import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import type { Finder } from './finder.ts';
import type { Matcher, Span } from './matcher.ts';
import { patternShape } from './pattern-shape.ts';
import { CONTEXTS } from './starts.ts';
import { boundedMatcher, CHARACTER, characterAt, exactMatcher } from './window.ts';

/** An invalid pattern. The message gives the remedy. It may quote the pattern, which is the operator's own. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/**
 * `maxMatch`: for a pattern of unlimited length, code units of the longest match that must be found.
 * @throws {PatternError}
 */
export function patternMatcher(pattern: string, maxMatch = Infinity): Matcher {
  const re = compiled(pattern);
  if (CONTEXTS.some(([before, after]) => [...finds(re, before + after, 0)].some(({ start, end }) => start === end))) {
    throw new PatternError('it also matches the empty string; make it match at least one character (for example + instead of *)');
  }
  const find = function* (text: string, from: number): Generator<Span> {
    // `test` runs on RE2's DFA, which is ten times as fast as locating matches.
    if (!re.test(text)) return;
    for (const span of finds(re, text, from)) if (span.end > span.start) yield span;
  };
  const { longest, begun } = patternShape(pattern);
  const openFrom = openings(begun);
  const cost = re.programSize();
  return longest <= maxMatch
    ? exactMatcher({ find, openFrom, reach: longest + CHARACTER }, cost, pattern)
    : boundedMatcher({ find, openFrom, reach: maxMatch + CHARACTER }, cost);
}

/** Maximum RE2 steps per test. A step takes far longer if many parts of the pattern match at once. */
const MAX_ASKED = 100_000;

/**
 * See {@link Finder.openFrom}. Each offset is tested separately, with the character before it. RE2's DFA reports only whether there is a match, but
 * is many times as fast as locating one. The pattern is compiled on first use, because whole texts do not need it. Only the first characters after an
 * offset are tested: if no match begins with them, no match begins with a longer stretch either.
 */
function openings(begun: string): Finder['openFrom'] {
  let asked: { atStart: RE2JS | null; later: RE2JS | null } | undefined;
  return (text, from) => {
    asked ??= { atStart: compiledOrNull(`\\A${begun}`), later: compiledOrNull(`\\A(?s:.)${begun}`) };
    const { atStart, later } = asked;
    if (atStart === null || later === null) return from;
    const most = Math.ceil(MAX_ASKED / later.programSize());
    for (let at = from; at < text.length; at += characterAt(text, at)) {
      const end = at + most + (characterAt(text, at + most - 1) - 1);
      if (at === 0 ? atStart.test(text.slice(0, end)) : later.test(text.slice(at - 1, end))) return at;
    }
    return text.length;
  };
}

/** Null if the pattern is too large for RE2, although the pattern that it was derived from is not. */
function compiledOrNull(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}

function* finds(re: RE2JS, text: string, from: number): Generator<Span> {
  const matcher = re.matcher(text);
  for (let found = matcher.find(from); found; found = matcher.find()) yield { start: matcher.start(), end: matcher.end() };
}

function compiled(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const remedy = 'not valid RE2 syntax, which has no look-around and no back-references';
    throw new PatternError(`${error.getDescription()}${place(pattern, error.getPattern())} (${remedy})`, { cause: error });
  }
}

/** The position of RE2's complaint, counted from 1, if that is certain. */
function place(pattern: string, part: string | null): string {
  if (part === null) return ` at character ${pattern.length}`;
  const at = pattern.indexOf(part);
  const certain = at >= 0 && pattern.indexOf(part, at + 1) < 0;
  return ` in \`${part}\`${certain && part !== pattern ? ` at character ${at + 1}` : ''}`;
}
