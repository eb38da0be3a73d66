/** For guards that search for configured patterns, words and lengths, in whole and in streamed texts. */
export { anyOf } from './any-of.ts';
export { lengthMatcher } from './length.ts';
export type { Matcher, Search, Span } from './matcher.ts';
export { PatternError, patternMatcher } from './pattern.ts';
export { wordsMatcher } from './words.ts';
