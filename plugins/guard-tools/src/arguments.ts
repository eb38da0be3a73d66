import type { HeavyWork } from '@svc/sdk';
import { isObject } from '@svc/sdk';
import type { MadeCall } from '@svc/sdk/guard';
import { JsonCounter } from '@svc/sdk/json';
import { mismatchesIn } from '@svc/toolkit/json-schema';
import { placeholderFinder } from '@svc/toolkit/masking';
import type { Candidates, Rule } from './policy.ts';

/** Arguments as JSON. The text of a custom tool becomes a string; missing arguments become an empty object. */
function asJson({ kind, input }: MadeCall): string {
  if (kind === 'custom') return JSON.stringify(input);
  return input.trim() === '' ? '{}' : input;
}

/** The arguments in a canonical form. Null if they are not a single JSON object, repeat a key, or are too large. */
export function normalArguments(call: MadeCall): string | null {
  const json = asJson(call);
  const [written, read] = [new JsonCounter(), new JsonCounter()];
  if (written.text(json) !== null) return null;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  if (call.kind !== 'custom' && !isObject(value)) return null;
  return read.value(value) !== null || written.values !== read.values ? null : JSON.stringify(value);
}

export function holdsPlaceholder(text: string): boolean {
  return placeholderFinder.find(text, 0).length > 0;
}

/** Whether the arguments of a call match the schema of a rule. */
export type Fits = (call: MadeCall, rule: Rule) => boolean;

/** Checks the arguments of all calls against the rules that need it, in a thread. */
export async function fitsOf(candidates: Candidates, work: HeavyWork): Promise<Fits> {
  const pairs = [...candidates].flatMap(([call, rules]) => rules.map((rule) => ({ call, rule })));
  const fitting = new Map<Rule, Set<MadeCall>>();
  for (const [rule, paired] of Map.groupBy(pairs, (pair) => pair.rule)) {
    if (rule.schema === null) continue;
    const calls = paired.map(({ call }) => call);
    const mismatches = await mismatchesIn(
      import.meta.resolve('#validate'),
      { schema: rule.schema, texts: calls.map(asJson) },
      work,
    );
    fitting.set(rule, new Set(calls.filter((_, at) => mismatches[at] === null)));
  }
  return (call, rule) => fitting.get(rule)?.has(call) === true;
}
