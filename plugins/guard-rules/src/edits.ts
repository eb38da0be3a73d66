import type { Edit } from '@svc/sdk/plugin';
import type { Span } from './matchers/matcher.ts';

/** What a sanitizing rule found in a segment. `order` is the rule's place in the configuration. */
export interface Hit extends Span {
  readonly order: number;
  readonly replacement: string;
}

/**
 * Edits of one segment that cover every hit and do not overlap. At a place that several hits claim, the leftmost wins, then the
 * longest, then the rule that stands first; the part of a loser that sticks out is replaced too, so nothing that any rule found is left.
 */
export function mergedEdits(segment: number, hits: readonly Hit[]): Edit[] {
  const edits: Edit[] = [];
  let free = 0;
  for (const { start, end, replacement } of hits.toSorted(byPrecedence)) {
    if (end <= free) continue;
    edits.push({ segment, start: Math.max(start, free), end, replacement });
    free = end;
  }
  return edits;
}

function byPrecedence(a: Hit, b: Hit): number {
  return a.start - b.start || b.end - a.end || a.order - b.order;
}
