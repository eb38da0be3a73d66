import type { GuardScan, HeavyWork } from '@svc/sdk';
import { loneText } from '@svc/toolkit/segments';
import { type Finding, findPlaces, type Turns } from '@svc/toolkit/work';
import type { CompiledRule } from './compile.ts';
import { type Hit, mergedEdits } from './edits.ts';
import type { Counts } from './find-in.ts';
import { replacementsOf } from './judge.ts';

/** The matches of each rule in one text, outside any run, and the text with replacements. `finding` must find all hits. */
export async function scan(
  finding: Finding<Counts>,
  rules: readonly CompiledRule[],
  text: string,
  work: HeavyWork,
  turns: Turns,
): Promise<GuardScan> {
  const replacements = replacementsOf(rules);
  const orders = new Map(rules.map(({ name }, order) => [name, order]));
  const findings: GuardScan['findings'][number][] = [];
  const hits: Hit[] = [];
  const { places } = await findPlaces(finding, [loneText(text)], work, turns);
  for (const { entity_type, score, pieces } of places) {
    for (const { start, end } of pieces) {
      findings.push({ entity_type, start, end, score });
      const replacement = replacements.get(entity_type);
      if (replacement !== undefined) hits.push({ start, end, order: orders.get(entity_type) ?? 0, replacement });
    }
  }
  const written: string[] = [];
  let from = 0;
  for (const { start, end, replacement } of mergedEdits(hits)) {
    written.push(text.slice(from, start), replacement);
    from = end;
  }
  return {
    findings: findings.sort((a, b) => a.start - b.start || a.end - b.end),
    sanitized: written.join('') + text.slice(from),
  };
}
