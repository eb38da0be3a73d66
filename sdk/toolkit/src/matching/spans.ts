import type { Matcher, Span } from './matcher.ts';

/** Every match in a text that is passed in these parts, for tests. `Infinity` becomes the text's end. */
export function spans(matcher: Matcher, ...parts: string[]): Span[] {
  const search = matcher.search();
  const found = [...parts.flatMap((part) => [...search.advance(part, false)]), ...search.advance('', true)];
  const length = parts.join('').length;
  return found.filter((span) => span !== null).map(({ start, end }) => ({ start, end: Math.min(end, length) }));
}
