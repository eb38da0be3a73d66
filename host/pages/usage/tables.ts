import type { UsageGroup } from '../shared/api-types.ts';
import { dataTable } from '../shared/table.ts';
import { countText, durationText, type Sums, usdText } from './measures.ts';

const COLUMNS: readonly (readonly [title: string, text: (sums: Sums) => string])[] = [
  ['Cost', ({ usd }) => usdText(usd)],
  ['Input tokens', ({ input_tokens }) => countText(input_tokens)],
  ['Output tokens', ({ output_tokens }) => countText(output_tokens)],
  ['Requests', ({ requests }) => countText(requests)],
  ['Blocked', ({ blocked }) => countText(blocked)],
  ['Median', ({ latency_ms }) => (latency_ms === null ? '–' : durationText(latency_ms.p50))],
  ['95th percentile', ({ latency_ms }) => (latency_ms === null ? '–' : durationText(latency_ms.p95))],
];

/**
 * @param title id of its title
 * @param name the heading of the first column
 */
export function sumsTable(title: string, name: string, rows: readonly (readonly [name: string, sums: Sums])[]): HTMLElement {
  const head = [name, ...COLUMNS.map(([text]) => text)];
  return dataTable(
    title,
    head,
    rows.map(([text, sums]) => [text, ...COLUMNS.map(([, textOf]) => textOf(sums))]),
  );
}

/** Adds up sums. Quantiles cannot be added, so the result has none, unless there is only one. */
export function addSums(all: readonly Sums[]): Sums {
  const sum = (of: (sums: Sums) => number): number => all.reduce((total, sums) => total + of(sums), 0);
  return {
    requests: sum(({ requests }) => requests),
    blocked: sum(({ blocked }) => blocked),
    runs: sum(({ runs }) => runs),
    input_tokens: sum(({ input_tokens }) => input_tokens),
    output_tokens: sum(({ output_tokens }) => output_tokens),
    usd: sum(({ usd }) => usd),
    unpriced_runs: sum(({ unpriced_runs }) => unpriced_runs),
    partial_runs: sum(({ partial_runs }) => partial_runs),
    latency_ms: all.length === 1 ? (all[0]?.latency_ms ?? null) : null,
  };
}

/** The sums of each interval over all groups, newest first, without empty ones. */
export function byInterval(
  groups: readonly UsageGroup[],
  intervals: readonly string[],
): (readonly [since: string, sums: Sums])[] {
  return intervals.toReversed().flatMap((since) => {
    const found = groups.flatMap((group) =>
      (group.intervals ?? []).filter((sums) => Date.parse(sums.since) === Date.parse(since)),
    );
    return found.length === 0 ? [] : [[since, addSums(found)] as const];
  });
}
