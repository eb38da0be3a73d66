import { type Edit, type GuardResult, type Segment, VERDICTS } from '@svc/sdk/plugin';
import type { CompiledRule } from './compile.ts';
import { Reading } from './reading.ts';
import type { Turns } from './turns.ts';

/** Runs every rule over every segment. */
export async function judge(rules: readonly CompiledRule[], segments: readonly Segment[], turns: Turns): Promise<GuardResult> {
  const counts = rules.map(() => 0);
  const edits: Edit[] = [];
  for (const { index, text } of segments) {
    const found = await new Reading(rules, counts).advance(text, true, turns);
    for (const edit of found) edits.push({ segment: index, ...edit });
  }
  return summary(rules, counts, edits);
}

/** The strictest rule that found something decides, the first of them gives the code. `counts`: what each rule found. */
export function summary(rules: readonly CompiledRule[], counts: readonly number[], edits: readonly Edit[]): GuardResult {
  const found = rules.flatMap((rule, order) => {
    const count = counts[order] ?? 0;
    return count > 0 ? [{ rule, count }] : [];
  });
  const findings = found.map(({ rule, count }) => ({ entity_type: rule.name, count }));
  const strictness = found.map(({ rule }) => VERDICTS.indexOf(rule.verdict));
  const decisive = found[strictness.indexOf(Math.max(...strictness))]?.rule;
  if (decisive === undefined) return { verdict: 'allow', code: 'no-match', edits: [], findings: [] };
  return { verdict: decisive.verdict, code: decisive.name, edits, findings };
}
