/** For guards that look for what an operator wrote down: patterns, words and lengths, in texts that come in pieces as in whole ones. */
export { anyOf } from './any-of.ts';
export { lengthMatcher } from './length.ts';
export type { Matcher, Search, Span } from './matcher.ts';
export { PatternError, patternMatcher } from './pattern.ts';
export { wordsMatcher } from './words.ts';
