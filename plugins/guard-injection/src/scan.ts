import type { GuardScan, HeavyWork } from '@svc/sdk';
import { loneText } from '@svc/toolkit/segments';
import { findPlaces, type Turns } from '@svc/toolkit/work';
import { findingOf } from './finding.ts';
import type { Options } from './options.ts';

/** The signals of a text of a user, whatever the options say about roles. A signal has no place: it is found in the whole text, with its score. */
export async function scan(options: Options, text: string, work: HeavyWork, turns: Turns): Promise<GuardScan> {
  const { places, summary } = await findPlaces(findingOf({ ...options, roles: ['user'] }), [loneText(text)], work, turns);
  const findings: GuardScan['findings'][number][] = [];
  for (const [entity_type] of summary.counts) findings.push({ entity_type, start: 0, end: text.length, score: summary.score });
  const kept: string[] = [];
  let from = 0;
  for (const { entity_type, score, pieces } of places) {
    for (const { start, end } of pieces) {
      findings.push({ entity_type, start, end, score });
      kept.push(text.slice(from, start));
      from = end;
    }
  }
  return { findings, sanitized: kept.join('') + text.slice(from) };
}
