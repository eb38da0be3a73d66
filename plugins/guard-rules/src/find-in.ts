import type { FindPlaces, Place, Steps } from '@svc/sdk/work';
import type { CompiledRule } from './compile.ts';
import { Reading } from './reading.ts';

/** `edits`: what is to be replaced, and by which rule; `hits`: all that each rule found. */
export type What = 'edits' | 'hits';

/** How often each rule found something, in their order. */
export type Counts = readonly number[];

/** A place in one text, and the rule that it is of. */
interface Marked {
  readonly start: number;
  readonly end: number;
  readonly order: number;
}

/** Runs every rule over every segment. A place bears the name of its rule. */
export function findIn(rules: readonly CompiledRule[], what: What): FindPlaces<Counts> {
  return function* (segments) {
    const counts = rules.map(() => 0);
    const places: Place[] = [];
    for (const [segment, { text }] of segments.entries()) {
      const marked: readonly Marked[] =
        what === 'edits' ? yield* new Reading(rules, counts).advance(text, true) : yield* hitsIn(text, rules);
      for (const { order, start, end } of marked) {
        places.push({ entity_type: rules[order]?.name ?? '', score: 1, pieces: [{ order: segment, start, end }] });
      }
    }
    return { places, summary: counts };
  };
}

function* hitsIn(text: string, rules: readonly CompiledRule[]): Steps<Marked[]> {
  const found: Marked[] = [];
  for (const [order, { matcher }] of rules.entries()) {
    for (const span of matcher.search().advance(text, true)) {
      if (span !== null) found.push({ start: span.start, end: Math.min(span.end, text.length), order });
      yield;
    }
  }
  return found;
}
