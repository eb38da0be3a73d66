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

/**
 * The arguments in one form; null if they can be read in more than one way, or in none: they are no JSON object, or a key is repeated.
 */
export function normalArguments(call: MadeCall): string | null {
  const json = asJson(call);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  if (call.kind !== 'custom' && !isObject(value)) return null;
  const [written, read] = [new JsonCounter(), new JsonCounter()];
  const isTooLarge = written.text(json) !== null || read.value(value) !== null;
  return isTooLarge || written.values !== read.values ? null : JSON.stringify(value);
}

export function holdsPlaceholder(text: string): boolean {
  return placeholderFinder.find(text, 0).length > 0;
}

/** Whether the arguments of a call match the schema of a rule. */
export type Fits = (call: MadeCall, rule: Rule) => boolean;

/** Checks the arguments of all calls against the rules that need it, in a thread. */
export async function fitsOf(candidates: Candidates, work: HeavyWork): Promise<Fits> {
  const byRule = new Map<Rule, MadeCall[]>();
  for (const [call, rules] of candidates)
    for (const rule of rules) if (rule.schema !== null) byRule.set(rule, [...(byRule.get(rule) ?? []), call]);
  const fitting = new Map<Rule, Set<MadeCall>>();
  for (const [rule, calls] of byRule) {
    const mismatches = await mismatchesIn(
      import.meta.resolve('#validate'),
      { schema: rule.schema, texts: calls.map(asJson) },
      work,
    );
    fitting.set(rule, new Set(calls.filter((_, at) => mismatches[at] === null)));
  }
  return (call, rule) => fitting.get(rule)?.has(call) === true;
}
