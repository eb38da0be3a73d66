import type { Span } from '@svc/toolkit/matching';

/** A match of a sanitizing rule. `order` is the rule's index in the configuration. */
export interface Hit extends Span {
  readonly order: number;
  readonly replacement: string;
}

/**
 * Edits that cover every hit and do not overlap. If hits overlap, the leftmost wins, then the longest, then the one whose rule comes first. The rest of the
 * other hit is replaced too, so that no match is left. If a text arrives in parts, hits of a later part start no earlier than those before, and
 * `free` is the end of the last edit.
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
