import type { Span } from '@svc/toolkit/matching';

/** What a sanitizing rule found. `order` is the rule's place in the configuration. */
export interface Hit extends Span {
  readonly order: number;
  readonly replacement: string;
}

/**
 * Edits that cover every hit and do not overlap. At a place that several hits claim, the leftmost wins, then the longest, then the rule
 * that stands first; the part of a loser that sticks out is replaced too, so nothing that any rule found is left.
 *
 * For a text in parts: hits of a later part start no sooner than all before, and `free` is where the last edit before ended.
 */
export function mergedEdits(hits: readonly Hit[], free = 0): Hit[] {
  const edits: Hit[] = [];
  for (const hit of hits.toSorted(byPrecedence)) {
    const { start, end } = hit;
    if (end <= free) continue;
    edits.push({ ...hit, start: Math.max(start, free) });
    free = end;
  }
  return edits;
}

function byPrecedence(a: Hit, b: Hit): number {
  return a.start - b.start || b.end - a.end || a.order - b.order;
}
