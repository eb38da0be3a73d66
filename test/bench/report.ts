import type { Machine } from './machine.ts';
import { PORTKEY } from './portkey.ts';
import type { RequestRow } from './requests.ts';
import { figure, table } from './table.ts';

/** What a run of the bench gives; a part that was not asked for is null. */
export interface Report {
  readonly at: string;
  readonly version: string;
  readonly portkey: string | null;
  readonly machine: Machine;
  readonly options: object;
  readonly pinned: boolean;
  readonly requests: readonly RequestRow[] | null;
}

export function show(report: Report): string {
  const parts = [heading(report)];
  if (report.requests !== null) parts.push(requestTable(report.requests));
  return `${parts.join('\n\n')}\n`;
}

function heading({ at, version, machine, pinned, portkey }: Report): string {
  const { fdatasync_ms } = machine;
  return [
    `svc ${version}, ${at}${portkey === null ? '' : `, against ${PORTKEY}`}`,
    `${machine.processor}, ${machine.cores} cores, ${machine.memory_gb} GB, ${machine.kernel}, Node ${machine.node}`,
    `runs on ${machine.file_system}; 4 kB to disk: p50 ${figure(fdatasync_ms.p50)} ms, p99 ${figure(fdatasync_ms.p99)} ms`,
    pinned
      ? 'the measured process has core 0 to itself; load and upstream have the others'
      : 'processes are on whatever core the system gives them',
    `load average before: ${figure(machine.load_average)}`,
  ].join('\n');
}

function requestTable(rows: readonly RequestRow[]): string {
  const cells = rows.map((row) => [
    row.target,
    String(row.connections),
    figure(row.per_second),
    `${figure(row.slowest)} to ${figure(row.fastest)}`,
    figure(row.p50_ms),
    figure(row.p99_ms),
    figure(row.cpu_us_per_request),
    figure(row.cpu_share),
    figure(row.of_bare),
    figure(row.of_portkey),
    String(row.failures),
  ]);
  const headings = [
    'whole',
    'conns',
    'req/s',
    'rounds',
    'p50 ms',
    'p99 ms',
    'cpu µs/req',
    'cores',
    '× bare',
    '× portkey',
    'failed',
  ];
  return table(headings, cells);
}
