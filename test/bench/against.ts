import type { TargetName } from './options.ts';
import type { Report } from './report.ts';
import { figure, table } from './table.ts';

/** Processor time of a request or stream, as a multiple of the bare pass-through's in the same run. */
export interface TimesBare {
  readonly what: string;
  /** Null if the earlier run did not measure it. */
  readonly before: number | null;
  readonly now: number;
}

type Measured = Pick<Report, 'requests' | 'streams'>;

/**
 * Compares this run with an earlier one. Processor time depends least on other work on the machine, and the ratio to the bare pass-through depends
 * least on the machine.
 */
export function timesBare(now: Measured, before: Measured): TimesBare[] {
  const earlier = ratiosOf(before);
  return [...ratiosOf(now)].map(([what, ratio]) => ({ what, before: earlier.get(what) ?? null, now: ratio }));
}

/** The rows that exceed their earlier value by more than this factor. */
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
