import { isStreamed, jointsOf, piecesIn } from '@svc/toolkit/masking';
import { anyOf } from '@svc/toolkit/matching';
import type { FindPlaces, Place, Steps } from '@svc/toolkit/work';
import type { CompiledRule } from './compile.ts';
import { type Hit, mergedEdits } from './edits.ts';
import { type Marked, markedIn, markedOver } from './joined.ts';
import { Reading } from './reading.ts';

/** `edits`: the places to replace, each with its rule. `hits`: every match of every rule. */
export type What = 'edits' | 'hits';

/** For each rule, in order: the number of matches in streamed text and in all other text. */
export interface Counts {
  readonly streamed: readonly number[];
  readonly held: readonly number[];
}

/**
 * Runs every rule over every segment, and over texts that a model reads as one: these are joined with and without a space. Each place found has the name of its
 * rule.
 */
export function findIn(
  rules: readonly CompiledRule[],
  what: What,
  mayHold: (text: string) => boolean = anyOf(rules.map(({ matcher }) => matcher)),
): FindPlaces<Counts> {
  const alone = function* (text: string, counts: number[]): Steps<readonly Marked[]> {
    yield;
    if (!mayHold(text)) return [];
    return what === 'edits' ? yield* new Reading(rules, counts).advance(text, true) : yield* markedIn(text, rules);
  };
  return function* (segments) {
    const counts = { streamed: rules.map(() => 0), held: rules.map(() => 0) };
    const countsIn = (path = ''): number[] => (isStreamed(path) ? counts.streamed : counts.held);
    const places: Place[] = [];
    const placeOf = ({ order }: Pick<Marked, 'order'>, pieces: Place['pieces']): void => {
      places.push({ entity_type: rules[order]?.name ?? '', score: 1, pieces });
    };
    const joints = what === 'edits' ? jointsOf(segments) : [];
    const joined = new Set(joints.flatMap(({ orders }) => orders));
    for (const [order, { text, path }] of segments.entries()) {
      if (joined.has(order)) continue;
      for (const mark of yield* alone(text, countsIn(path))) placeOf(mark, [{ order, start: mark.start, end: mark.end }]);
    }
    for (const joint of joints) {
      const parts = joint.orders.map((order) => segments[order]?.text ?? '');
      const own = countsIn(segments[joint.orders[0] ?? 0]?.path);
      const marked = [...parts, ...joint.texts].some(mayHold) ? yield* markedOver(joint, parts, rules, own) : [];
      const hits = sanitizing(marked, rules);
      for (const hit of mergedEdits(hits)) placeOf(hit, piecesIn(hit, joint));
    }
    return { places, summary: counts };
  };
}

function sanitizing(marked: readonly Marked[], rules: readonly CompiledRule[]): Hit[] {
  return marked.flatMap((mark) => {
    const replacement = rules[mark.order]?.replacement ?? null;
    return replacement === null ? [] : [{ ...mark, replacement }];
  });
}
