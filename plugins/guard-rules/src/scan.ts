import type { GuardScan } from '@svc/sdk/plugin';
import type { CompiledRule } from './compile.ts';
import { Reading } from './reading.ts';
import type { Turns } from './turns.ts';

/** What each rule finds in one text, outside any run, and what the sanitizing ones make of it. */
export async function scan(rules: readonly CompiledRule[], text: string, turns: Turns): Promise<GuardScan> {
  const findings = rules.flatMap(({ name, matcher }) =>
    [...matcher.search().advance(text, true)]
      .filter((span) => span !== null)
      .map(({ start, end }) => ({ entity_type: name, start, end: Math.min(end, text.length), score: 1 })),
  );
  let sanitized = '';
  let from = 0;
  for (const { start, end, replacement } of await new Reading(rules, []).advance(text, true, turns)) {
    sanitized += text.slice(from, start) + replacement;
    from = end;
  }
  return { findings: findings.toSorted((a, b) => a.start - b.start || a.end - b.end), sanitized: sanitized + text.slice(from) };
}
