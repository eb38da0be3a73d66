import type { KilledRow } from './killed.ts';
import type { RequestRow } from './requests.ts';
import type { StreamRow } from './streams.ts';
import { figure, table } from './table.ts';

/** Targets with evidence or guards. */
export interface Governed {
  readonly requests: readonly RequestRow[];
  readonly streams: readonly StreamRow[];
  readonly killed: readonly KilledRow[];
}

/** A row per target: whole answers, chat streams, and calls lost by kills. */
export function governedTable({ requests, streams, killed }: Governed): string {
  const chats = streams.filter(({ protocol }) => protocol === 'chat');
  const bare = requests.find(({ target }) => target === 'bare')?.cpu_us_per_request ?? null;
  const bareStream = chats.find(({ target }) => target === 'bare')?.cpu_us_per_stream ?? null;
  const cells = requests.map((row) => {
    const stream = chats.find(({ target }) => target === row.target);
    const left = killed.find(({ target }) => target === row.target);
    return [
      row.target,
      figure(row.cpu_us_per_request),
      times(row.cpu_us_per_request, bare),
      figure(row.p50_ms),
      figure(row.p99_ms),
      figure(row.per_second),
      figure(stream?.streams_per_second ?? null),
      times(stream?.cpu_us_per_stream ?? null, bareStream),
      String(row.failures + (stream?.failures ?? 0)),
      ...recordsOf(left),
    ];
  });
  const measured = ['cpu µs/req', '× bare', 'p50 ms', 'p99 ms', 'req/s', 'streams/s', 'cpu × bare', 'failed'];
  return table(['governed', ...measured, 'kill -9', 'calls', 'without record'], cells);
}

function recordsOf(row: KilledRow | undefined): [string, string, string] {
  if (row === undefined) return ['–', '–', '–'];
  if (row.unrecorded === null) return ['–', '–', 'all (keeps no records)'];
  return [String(row.kills), row.calls.toLocaleString('en'), row.unrecorded.toLocaleString('en')];
}

function times(value: number | null, bare: number | null): string {
  return figure(value === null || bare === null ? null : value / bare);
}
