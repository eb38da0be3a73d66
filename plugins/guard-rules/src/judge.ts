import { allow, type Edit, type GuardResult, type HeavyWork, type Segment } from '@svc/sdk';
import { VERDICTS } from '@svc/sdk/guard';
import { replacementOf } from '@svc/toolkit/masking';
import { type Finding, type Findings, findPlaces, type Place, type Steps, soon, type Turns } from '@svc/toolkit/work';
import type { CompiledRule } from './compile.ts';
import type { Counts } from './find-in.ts';

/** Runs every rule over every segment. Synchronous if the work fits into one turn of the event loop. */
export function judge(
  finding: Finding<Counts>,
  rules: readonly CompiledRule[],
  segments: readonly Segment[],
  work: HeavyWork,
  turns: Turns,
): GuardResult | Promise<GuardResult> {
  const found = findPlaces(finding, segments, work, turns);
  if (found instanceof Promise) return found.then((late) => soon(resultOf(late, rules, segments), turns));
  return soon(resultOf(found, rules, segments), turns);
}

function* resultOf(
  { places, summary: counts }: Findings<Counts, Iterable<Place>>,
  rules: readonly CompiledRule[],
  segments: readonly Segment[],
): Steps<GuardResult> {
  if ([...counts.streamed, ...counts.held].every((count) => count === 0)) return allow('no-match');
  const replacements = replacementsOf(rules);
  const edits: Edit[] = [];
  for (const { entity_type, pieces } of places) {
    for (const [n, piece] of pieces.entries()) {
      const segment = segments[piece.order];
      if (segment === undefined) continue;
      const replacement = replacementOf(piece, n === 0, replacements.get(entity_type) ?? '', segment);
      edits.push({ segment: segment.index, start: piece.start, end: piece.end, replacement });
    }
    yield;
  }
  return summary(rules, counts, edits);
}

/** The replacements of the sanitizing rules, by name. */
export function replacementsOf(rules: readonly CompiledRule[]): ReadonlyMap<string, string> {
  return new Map(rules.flatMap(({ name, replacement }) => (replacement === null ? [] : [[name, replacement] as const])));
}

/**
 * The strictest rule that matched decides. If several are equally strict, the first one that matched streamed text decides, because a stream checks that text
 * first; if none did, the first one decides. `counts`: the matches of each rule.
 */
export function summary(rules: readonly CompiledRule[], { streamed, held }: Counts, edits: readonly Edit[]): GuardResult {
  const found = rules.flatMap((rule, order) => {
    const [inStream = 0, inHeld = 0] = [streamed[order], held[order]];
    return inStream + inHeld > 0 ? [{ rule, count: inStream + inHeld, isStreamed: inStream > 0 }] : [];
  });
  const findings = found.map(({ rule, count }) => ({ entity_type: rule.name, count }));
  const strictest = Math.max(...found.map(({ rule }) => VERDICTS.indexOf(rule.verdict)));
  const deciding = found.filter(({ rule }) => VERDICTS.indexOf(rule.verdict) === strictest);
  const decisive = (deciding.find(({ isStreamed }) => isStreamed) ?? deciding[0])?.rule;
  if (decisive === undefined) return allow('no-match');
  return { verdict: decisive.verdict, code: decisive.name, edits, findings };
}
