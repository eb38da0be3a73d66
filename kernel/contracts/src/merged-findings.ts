import type { EventData } from './run-event.ts';

type RecordedFinding = EventData<'verdict'>['findings'][number];

/** One entry for each type. Sums are capped at the largest integer that a record can hold. */
export function mergedFindings(findings: readonly RecordedFinding[]): RecordedFinding[] {
  const byType = Map.groupBy(findings, ({ entity_type }) => entity_type);
  return Array.from(byType, ([entity_type, same]) => {
    const origins = new Set(same.flatMap((finding) => finding.origins ?? []));
    const count = same.reduce((sum, finding) => Math.min(sum + finding.count, Number.MAX_SAFE_INTEGER), 0);
    const scores = same.flatMap(({ score_ppm }) => score_ppm ?? []);
    return {
      count,
      entity_type,
      ...(origins.size > 0 && { origins: [...origins] }),
      ...(scores.length > 0 && { score_ppm: scores.reduce((highest, score) => Math.max(highest, score)) }),
    };
  });
}
