import type { Example } from './example.ts';
import type { Tally } from './tally.ts';
import type { Result } from './try-example.ts';

/** One line for an example: what each pack found, and where. */
export function exampleJson({ source }: Example, results: readonly (Result | null)[], showText: boolean): string {
  return JSON.stringify({
    source,
    results: results.flatMap((result) => {
      if (result === null) return [];
      const { pack, verdict, code, ms, findings, places } = result;
      const shown = places.map(({ text, ...place }) => ({
        ...place,
        ...(showText && { text: text.slice(place.start, place.end) }),
      }));
      return [{ ...headOf(pack), verdict, code, duration_ms: rounded(ms), findings, places: shown }];
    }),
  });
}

/** The last line: the sums. */
export function summaryJson(tally: Tally, others: readonly string[]): string {
  const packs = tally.packs.map(({ pack, examples, found, failed, verdicts, entities, scores, times }) => ({
    ...headOf(pack),
    examples,
    found,
    failed,
    verdicts: Object.fromEntries(verdicts),
    entities: Object.fromEntries(entities),
    scores,
    duration_ms: { median: rounded(times.median), p95: rounded(times.p95), longest: rounded(times.longest) },
  }));
  const { examples, found, unreadable } = tally;
  return JSON.stringify({ summary: { examples, found, unreadable, packs, not_tried: others } });
}

function headOf({ name, threshold, node }: Result['pack']) {
  return { pack: name, type: node.type, threshold };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
