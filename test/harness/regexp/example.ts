import { type Part, parse } from './parse.ts';

/** Candidates for a class, in this order. */
const CANDIDATES = [...'aA1 -_.:@/"\'<=,\n\u00e9\u200b\u0430\u4e2d\u2028', '\u{e0041}', '\u{1f3f4}'];

/**
 * A text that the pattern matches, or nearly matches, because look-arounds and boundaries are ignored. Of alternatives, uses the one with number
 * `choice` modulo their count.
 */
export function exampleOf(pattern: RegExp, choice: number): string {
  const flags = [...pattern.flags].filter((flag) => 'iuvs'.includes(flag)).join('');
  return written(parse(pattern), flags, choice);
}

function written(part: Part, flags: string, choice: number): string {
  switch (part.kind) {
    case 'character':
      return characterOf(part.source, flags);
    case 'sequence':
      return part.parts.map((one) => written(one, flags, choice)).join('');
    case 'choice':
      return written(part.options[choice % part.options.length] ?? { kind: 'sequence', parts: [] }, flags, choice);
    case 'repeat':
      return written(part.body, flags, choice).repeat(Math.min(part.most, Math.max(part.least, 2)));
    default:
      return '';
  }
}

function characterOf(source: string, flags: string): string {
  if (source.length === 1 && source !== '.') return source;
  const pattern = new RegExp(`^${source}$`, flags);
  return CANDIDATES.find((character) => pattern.test(character)) ?? '';
}
