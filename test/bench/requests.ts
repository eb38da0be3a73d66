import type { Load } from './load-process.ts';
import { diskNow } from './machine.ts';
import { isPeer, type Options, type TargetName } from './options.ts';
import { inRounds } from './rounds.ts';
import { median } from './statistics.ts';
import type { Target } from './target.ts';

/** Medians over the rounds, for one target and number of connections. */
export interface RequestRow {
  readonly target: TargetName;
  readonly connections: number;
  readonly per_second: number;
  /** Requests per second of the slowest and fastest round. */
  readonly slowest: number;
  readonly fastest: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Milliseconds to append 4 kB to a file and sync it, just before each measurement. */
  readonly disk_p50_ms: number;
  /** Processor time of the target, all threads; null if the system does not report it. */
  readonly cpu_us_per_request: number | null;
  /** Share of a core that it used. Well under 1 means that it waited. */
  readonly cpu_share: number | null;
  readonly failures: number;
  /** Share of the requests per second of the bare pass-through and of Portkey in the same round. */
  readonly of_bare: number | null;
  readonly of_portkey: number | null;
}

type Plain = Omit<RequestRow, 'of_bare' | 'of_portkey'>;

/**
 * Warm-up requests. All targets get the same number, because code not compiled by then would count against a slow target. Fewer for targets without
 * a just-in-time compiler.
 */
const WARM_UP_ANSWERS = 20_000;
const FEW_ANSWERS = 500;
const WARM_UP_PER_SECOND = 10_000;
const LEAD_IN_MS = 300;

/**
 * Measures whole answers.
 * @param folder on the same disk as the targets' data
 */
export async function measureRequests(
  targets: readonly Target[],
  load: Load,
  options: Options,
  folder: string,
): Promise<RequestRow[]> {
  const { seconds, rounds } = options;
  const enough = Math.min(WARM_UP_ANSWERS, seconds * WARM_UP_PER_SECOND);
  for (const target of targets) {
    const answers = isPeer(target.name) ? Math.min(FEW_ANSWERS, enough) : enough;
    await load.run(target, 'whole', { connections: 32, lead_in_ms: 0, until: { answers } });
  }
  const rows: RequestRow[] = [];
  for (const connections of options.connections) {
    const measured = await inRounds(
      rounds,
      targets,
      (target) => measure(target, connections),
      (row) => row.per_second,
    );
    rows.push(...targets.map((_, at) => overRounds(measured, at)));
  }
  return rows;

  async function measure(target: Target, connections: number): Promise<Plain> {
    const until = { ms: seconds * 1000 };
    const disk_p50_ms = diskNow(folder);
    const seen = await load.run(target, 'whole', { connections, lead_in_ms: LEAD_IN_MS, until });
    const per_second = seen.answers / seen.seconds;
    return {
      target: target.name,
      connections,
      per_second,
      slowest: per_second,
      fastest: per_second,
      p50_ms: seen.millis.p50,
      p99_ms: seen.millis.p99,
      disk_p50_ms,
      cpu_us_per_request: seen.cpu_ms === null ? null : (seen.cpu_ms * 1000) / seen.answers,
      cpu_share: seen.cpu_ms === null ? null : seen.cpu_ms / 1000 / seen.seconds,
      failures: seen.failures,
    };
  }
}

/**
 * Medians for the target at this place. Ratios are computed within a round, whose measurements ran under the same conditions, and only then is the
 * median taken.
 */
function overRounds(measured: readonly (readonly Plain[])[], at: number): RequestRow {
  const rounds = measured.flatMap((row) => row[at] ?? []);
  const [first] = rounds;
  if (first === undefined) throw new Error('no round');
  const all = (field: 'per_second' | 'p50_ms' | 'p99_ms' | 'disk_p50_ms') => rounds.map((row) => row[field]);
  const known = (field: 'cpu_us_per_request' | 'cpu_share') => medianOrNull(rounds.flatMap((row) => row[field] ?? []));
  const ratio = (name: TargetName) =>
    medianOrNull(
      measured.flatMap((row) => {
        const other = row.find(({ target }) => target === name);
        return other === undefined ? [] : (row[at]?.per_second ?? Number.NaN) / other.per_second;
      }),
    );
  return {
    ...first,
    per_second: median(all('per_second')),
    slowest: Math.min(...all('per_second')),
    fastest: Math.max(...all('per_second')),
    p50_ms: median(all('p50_ms')),
    p99_ms: median(all('p99_ms')),
    disk_p50_ms: median(all('disk_p50_ms')),
    cpu_us_per_request: known('cpu_us_per_request'),
    cpu_share: known('cpu_share'),
    failures: rounds.reduce((sum, { failures }) => sum + failures, 0),
    of_bare: ratio('bare'),
    of_portkey: ratio('portkey'),
  };
}

function medianOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : median(values);
}
