import type { Matcher } from './matcher.ts';

/** Finds what stands beyond the first `max` characters. Characters are code points, so the cut never halves one. */
export function lengthMatcher(max: number): Matcher {
  return (text) => {
    const cut = offsetOf(text, max);
    return cut < text.length ? [{ start: cut, end: text.length }] : [];
  };
}

/** Where the first `characters` code points end. */
function offsetOf(text: string, characters: number): number {
  if (text.length <= characters) return text.length;
  let offset = 0;
  for (let seen = 0; seen < characters && offset < text.length; seen++) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}
