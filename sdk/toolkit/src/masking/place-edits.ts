import type { Edit, Segment } from '@svc/contracts';
import type { Steps } from '../work/index.ts';
import type { Place } from '../work/places.ts';
import { replacementOf } from './joints.ts';
import { JsonEscapes } from './json-text.ts';

/**
 * The edits that replace what was found at these places. `replace` gets the value of a place and its segments, and returns null to leave it. In names,
 * a placeholder has no brackets, because APIs do not accept them there. In an argument that is JSON text, quotes, backslashes and line breaks are escaped.
 */
export function* placeEdits(
  places: Iterable<Place>,
  segments: readonly Segment[],
  replace: (found: Place, value: string, texts: readonly Segment[]) => string | null,
): Steps<Edit[]> {
  const edits: Edit[] = [];
  const escapes = new Map<Segment, JsonEscapes>();
  const fitting = (segment: Segment, start: number, replacement: string): string | null => {
    if (segment.kind === 'name') return replacement.replace(/^<(.*)>$/, '$1');
    if (segment.kind !== 'argument') return replacement;
    const known = escapes.get(segment) ?? new JsonEscapes(segment.text);
    escapes.set(segment, known);
    return known.at(start, replacement);
  };
  for (const place of places) {
    const { pieces } = place;
    const texts = pieces.flatMap(({ order }) => segments[order] ?? []);
    const value = texts.map(({ text }, n) => text.slice(pieces[n]?.start, pieces[n]?.end)).join('');
    const replacement = replace(place, value, texts);
    for (const [n, piece] of pieces.entries()) {
      const segment = texts[n];
      const fit = segment === undefined || replacement === null ? null : fitting(segment, piece.start, replacement);
      if (fit === null || segment === undefined) continue;
      const written = replacementOf(piece, n === 0, fit, segment);
      edits.push({ segment: segment.index, start: piece.start, end: piece.end, replacement: written });
    }
    yield;
  }
  return edits;
}
