import type { TargetName } from './options.ts';
import type { Report } from './report.ts';
import { figure, table } from './table.ts';

/** Processor time of one request or one stream, as so many times that of the bare pass-through in the same run. */
export interface TimesBare {
  readonly what: string;
  /** Null: the earlier run did not measure it. */
  readonly before: number | null;
  readonly now: number;
}

type Measured = Pick<Report, 'requests' | 'streams'>;

/**
 * What this run measured beside the earlier one. Processor time is what a machine that does other things meanwhile changes the least, and the ratio to the bare
 * pass-through is what another machine does.
 */
export function timesBare(now: Measured, before: Measured): TimesBare[] {
  const earlier = ratiosOf(before);
  return [...ratiosOf(now)].map(([what, ratio]) => ({ what, before: earlier.get(what) ?? null, now: ratio }));
}

/** Those that take more than so many times what they took. */
export function lossesOf(rows: readonly TimesBare[], within: number): TimesBare[] {
  return rows.filter(({ before, now }) => before !== null && now > before * within);
}

export function timesBareTable(rows: readonly TimesBare[], within: number): string {
  const lost = lossesOf(rows, within);
  const cells = rows.map((row) => [
    row.what,
    figure(row.before),
    figure(row.now),
    figure(row.before === null ? null : row.now / row.before),
    row.before === null ? 'new' : lost.includes(row) ? 'lost' : '',
  ]);
  return table(['processor time × bare', 'before', 'now', 'ratio', ''], cells);
}

function ratiosOf({ requests, streams }: Measured): Map<string, number> {
  const rows = [
    ...(requests ?? []).map((row) => ({ ...row, part: `whole, ${row.connections} connections`, cpu_us: row.cpu_us_per_request })),
    ...(streams ?? []).map((row) => ({ ...row, part: `${row.protocol} streams`, cpu_us: row.cpu_us_per_stream })),
  ];
  const bare = new Map(
    rows.filter(({ target }) => target === ('bare' satisfies TargetName)).map(({ part, cpu_us }) => [part, cpu_us]),
  );
  const ratios = rows.flatMap(({ target, part, cpu_us }): [string, number][] => {
    const base = bare.get(part) ?? null;
    return target === 'bare' || base === null || cpu_us === null ? [] : [[`${target}, ${part}`, cpu_us / base]];
  });
  return new Map(ratios);
}
