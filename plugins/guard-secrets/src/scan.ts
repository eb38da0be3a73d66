import type { GuardScan, HeavyWork } from '@svc/sdk';
import { PLACEHOLDER } from '@svc/toolkit/masking';
import { loneText } from '@svc/toolkit/segments';
import { type Finding, findPlaces, Turns } from '@svc/toolkit/work';
import { placeholder } from './answer-mask.ts';

/** Finds the secrets in a text that belongs to no run. */
export async function scan(text: string, finding: Finding<null>, work: HeavyWork): Promise<GuardScan> {
  const findings: GuardScan['findings'][number][] = [];
  const written: string[] = [];
  let from = 0;
  const { places } = await findPlaces(finding, [loneText(text)], work, new Turns());
  for (const { entity_type, score, pieces } of places) {
    if (entity_type === PLACEHOLDER) continue;
    for (const { start, end } of pieces) {
      findings.push({ entity_type, start, end, score });
      written.push(text.slice(from, start), placeholder(entity_type));
      from = end;
    }
  }
  return { findings, sanitized: written.join('') + text.slice(from) };
}
