import { RE2JSCompileException, RE2Set } from 're2js';
import type { Matcher } from './matcher.ts';

/**
 * A quick test of a whole text: false if none of the matchers can match. All patterns form one automaton. So a text without a match is read once,
 * however many patterns there are.
 */
export function anyOf(matchers: readonly Matcher[]): (text: string) => boolean {
  const tests: ((text: string) => boolean)[] = [];
  const patterns: string[] = [];
  for (const { test } of matchers) {
    if (typeof test === 'string') patterns.push(test);
    else tests.push(test);
  }
  if (patterns.length > 0) tests.push(anyPattern(patterns));
  return (text) => {
    for (const test of tests) if (test(text)) return true;
    return false;
  };
}

/** If the patterns are too large for one automaton, every text is searched. */
function anyPattern(patterns: readonly string[]): (text: string) => boolean {
  const set = new RE2Set();
  for (const pattern of patterns) set.add(pattern);
  try {
    set.compile();
  } catch (error) {
    if (!(error instanceof RE2JSCompileException)) throw error;
    return () => true;
  }
  return (text) => set.match(text).length > 0;
}
