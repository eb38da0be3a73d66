import { describeMachine, type Machine } from '../bench/machine.ts';
import { percentile } from '../bench/statistics.ts';
import { figure, table } from '../bench/table.ts';
import type { Law } from './law.ts';
import type { Sample } from './load.ts';
import type { Options } from './options.ts';
import type { Held } from './samples.ts';
import type { Outcome } from './soak.ts';

interface Row {
  readonly kind: string;
  readonly requests: number;
  readonly answered: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Number of the other results, by code. */
  readonly others: Readonly<Record<string, number>>;
}

export interface Report {
  readonly at: string;
  readonly commit: string | null;
  readonly machine: Machine;
  readonly options: Options;
  readonly laws: readonly Law[];
  readonly faults: Outcome['faults'];
  readonly no_disk: string | null;
  readonly kinds: readonly Row[];
  readonly held: readonly Held[];
  readonly runs: number;
  readonly bytes_per_run: number;
}

export function reportOf(outcome: Outcome, options: Options, folder: string, commit: string | null): Report {
  const { laws, faults, no_disk, samples, held, runs, bytes } = outcome;
  const machine = describeMachine(folder);
  const kinds = Array.from(
    Map.groupBy(samples, ({ kind }) => kind),
    ([kind, of]) => rowOf(kind, of),
  );
  const at = new Date().toISOString();
  return { at, commit, machine, options, laws, faults, no_disk, kinds, held, runs, bytes_per_run: Math.round(bytes / runs) };
}

function rowOf(kind: string, samples: readonly Sample[]): Row {
  const { answered = [], ...others } = Object.groupBy(samples, ({ result }) => result);
  const millis = Float64Array.from(answered.map(({ ms }) => ms)).sort();
  return {
    kind,
    requests: samples.length,
    answered: answered.length,
    p50_ms: percentile(millis, 0.5),
    p99_ms: percentile(millis, 0.99),
    others: Object.fromEntries(Object.entries(others).map(([result, of]) => [result, of?.length ?? 0])),
  };
}

/** The report as text. */
export function shown(report: Report): string {
  const { at, commit, machine, options, laws, faults, no_disk, kinds, runs, bytes_per_run } = report;
  const list = (counts: object): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  const head = [
    `${at}, commit ${commit ?? 'unknown'}, Node ${machine.node}, ${machine.cores} cores of ${machine.processor}`,
    `${options.seconds} s with ${options.rate} requests per second, seed ${options.seed}`,
    `faults: ${list(faults)}${no_disk === null ? '' : `; no full disk: ${no_disk}`}`,
    `${runs} runs, ${bytes_per_run} bytes of runs-db each`,
  ];
  const rows = kinds.map(({ kind, requests, answered, p50_ms, p99_ms, others }) => [
    kind,
    ...[requests, answered, p50_ms, p99_ms].map((value, i) => (i < 2 ? String(value) : figure(value))),
    list(others),
  ]);
  const held = laws.map(({ law, holds, figures }) => `${holds ? 'holds ' : 'BROKEN'}  ${law}: ${figures}`);
  return [head.join('\n'), table(['request', 'sent', 'answered', 'p50 ms', 'p99 ms', 'others'], rows), held.join('\n')].join(
    '\n\n',
  );
}
