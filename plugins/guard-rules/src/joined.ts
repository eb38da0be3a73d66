import { fromPart, fromSpaced, type Joint } from '@svc/toolkit/masking';
import { MAX_PIECES, type Steps } from '@svc/toolkit/work';
import type { CompiledRule } from './compile.ts';

/** A place in one text, and the index of its rule. */
export interface Marked {
  readonly start: number;
  readonly end: number;
  readonly order: number;
}

/** Every match of every rule in a text. */
export function* markedIn(
  text: string,
  rules: readonly CompiledRule[],
  asks: (rule: CompiledRule) => boolean = () => true,
): Steps<Marked[]> {
  const found: Marked[] = [];
  for (const [order, rule] of rules.entries()) {
    if (!asks(rule)) continue;
    for (const span of rule.matcher.search().advance(text, true)) {
      // Limits the memory of the thread.
      if (found.length >= MAX_PIECES) throw new RangeError('too many findings');
      if (span !== null) found.push({ start: span.start, end: Math.min(span.end, text.length), order });
      yield;
    }
  }
  return found;
}

/**
 * The matches of each rule in texts that are read as one: in each text, and in the texts joined with and without a space. Offsets refer to the text
 * joined without spaces, which also counts for length limits.
 */
export function* markedOver(
  joint: Joint,
  parts: readonly string[],
  rules: readonly CompiledRule[],
  counts: number[],
): Steps<Marked[]> {
  const [tight, spaced] = joint.texts;
  const own: Marked[] = [];
  for (const [part, text] of parts.entries()) {
    for (const mark of yield* markedIn(text, rules)) own.push(fromPart(mark, joint, part));
  }
  const inTight = yield* markedIn(tight, rules, ({ of_one_text }) => joint.of_one || !of_one_text);
  const inSpaced = yield* markedIn(spaced, rules, ({ of_one_text }) => !of_one_text);
  const joined = [...inTight, ...inSpaced.flatMap((mark) => fromSpaced(mark, joint) ?? [])];
  const [ownOf, joinedOf] = [own, joined].map((marked) => Map.groupBy(marked, ({ order }) => order));
  for (const order of rules.keys()) {
    counts[order] = (counts[order] ?? 0) + findingsIn(ownOf?.get(order) ?? [], joinedOf?.get(order) ?? []);
  }
  return [...own, ...joined];
}

/** Number of findings of a rule. A match counts once if the joined text contains it again, or a longer one. */
function findingsIn(own: readonly Marked[], joined: readonly Marked[]): number {
  const all = [...own.map((mark) => ({ ...mark, count: 1 })), ...joined.map((mark) => ({ ...mark, count: 0 }))];
  let [findings, inGroup, end] = [0, 0, 0];
  for (const { start, end: to, count } of all.sort((a, b) => a.start - b.start)) {
    if (start >= end) {
      findings += end === 0 ? 0 : Math.max(1, inGroup);
      inGroup = 0;
    }
    inGroup += count;
    end = Math.max(end, to);
  }
  return findings + (end === 0 ? 0 : Math.max(1, inGroup));
}
