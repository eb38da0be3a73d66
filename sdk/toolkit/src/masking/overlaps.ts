import type { Found } from './found.ts';

/** Maximum length of a group of overlapping findings, in code units. A longer group is split. */
export const MAX_WEIGHED = 320;

/** A shorter rest of a losing finding consists only of a bracket or a space. */
const MIN_REST = 2;

/** The findings to keep, as far as they are certain. */
export interface Settled {
  /** In text order, without overlap. */
  readonly found: readonly Found[];
  /** No later finding changes anything before this offset. */
  readonly until: number;
}

/**
 * Resolves overlaps: the highest score wins, then the longest, then the leftmost. The rest of the losing finding is kept too, so that every match
 * stays covered. Findings are passed in as they become known. The result does not depend on how they are split.
 */
export class Overlaps {
  /** Findings that later ones may still overlap, in text order. */
  #waiting: Found[] = [];
  /** End of the last finding that was kept. */
  #free = 0;

  /** Whether every known finding is settled. */
  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  /** @param known all findings that start before this offset have been passed in */
  settle(found: readonly Found[], known: number): Settled {
    const all = [...this.#waiting, ...found.toSorted(byPlace)];
    const stands: Found[] = [];
    let group: Found[] = [];
    let start = 0;
    let end = 0;
    const close = (): void => {
      stands.push(...weighed(group));
      this.#free = Math.max(this.#free, end);
      group = [];
    };
    for (const next of all) {
      if (group.length > 0 && (next.start >= end || Math.max(end, next.end) - start > MAX_WEIGHED)) close();
      const rest = next.start >= this.#free ? next : { ...next, start: this.#free };
      if (rest.end <= rest.start) continue;
      if (group.length === 0) {
        start = rest.start;
        end = rest.end;
      }
      group.push(rest);
      end = Math.max(end, rest.end);
    }
    if (group.length > 0 && end <= known) close();
    this.#waiting = group;
    return { found: stands, until: group.length > 0 ? Math.min(start, known) : known };
  }
}

/** The findings to keep in a complete text. */
export function withoutOverlaps(found: readonly Found[], length: number): readonly Found[] {
  return new Overlaps().settle(found, length).found;
}

function weighed(group: readonly Found[]): readonly Found[] {
  if (group.length < 2) return group;
  const stands: Found[] = [];
  for (const finding of group.toSorted(byWeight)) {
    stands.push(...restsOf(finding, stands));
  }
  return stands.sort(byPlace);
}

/** The parts of a finding that no other one covers. All of it if none overlaps. */
function restsOf(finding: Found, others: readonly Found[]): Found[] {
  const inside = others.filter(({ start, end }) => start < finding.end && end > finding.start).sort(byPlace);
  if (inside.length === 0) return [finding];
  const rests: Found[] = [];
  let from = finding.start;
  for (const { start, end } of [...inside, { start: finding.end, end: finding.end }]) {
    if (start - from >= MIN_REST) rests.push({ ...finding, start: from, end: start });
    from = Math.max(from, end);
  }
  return rests;
}

function byPlace(a: Found, b: Found): number {
  return a.start - b.start || a.end - b.end || b.score - a.score || compared(a.entity_type, b.entity_type);
}

function byWeight(a: Found, b: Found): number {
  return b.score - a.score || b.end - b.start - (a.end - a.start) || byPlace(a, b);
}

function compared(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
