import type { CostRow } from './cost.ts';
import { type Governed, governedTable } from './governed.ts';
import type { GuardRow } from './guards.ts';
import type { Machine } from './machine.ts';
import type { MemoryRow } from './memory.ts';
import type { TargetName } from './options.ts';
import { COMPARED, type Peers } from './peers.ts';
import { PORTKEY } from './portkey.ts';
import type { ProfileRow } from './profile.ts';
import type { RequestRow } from './requests.ts';
import type { SealingRow } from './sealing.ts';
import type { OpenRow, StreamRow } from './streams.ts';
import { figure, table } from './table.ts';

/** The result of a run of the bench. Parts that were not requested are null. */
export interface Report {
  readonly at: string;
  readonly version: string;
  readonly portkey: string | null;
  /** Requested peers that are missing, with the reason. */
  readonly missing: Peers['missing'];
  readonly machine: Machine;
  readonly options: object;
  readonly pinned: boolean;
  readonly requests: readonly RequestRow[] | null;
  readonly streams: readonly StreamRow[] | null;
  readonly open: readonly OpenRow[] | null;
  readonly memory: readonly MemoryRow[] | null;
  readonly sealing: readonly SealingRow[] | null;
  readonly guards: readonly GuardRow[] | null;
  readonly governed: Governed | null;
  readonly cost: readonly CostRow[] | null;
  readonly profile: readonly ProfileRow[] | null;
}

export function show(report: Report): string {
  const parts = [heading(report)];
  if (report.requests !== null) parts.push(requestTable(report.requests));
  if (report.streams !== null) parts.push(streamTable(report.streams));
  if (report.open !== null) parts.push(openTable(report.open));
  if (report.governed !== null) parts.push(governedTable(report.governed), streamTable(report.governed.streams));
  if (report.requests !== null || report.streams !== null || report.governed !== null) parts.push(comparedTable(report));
  if (report.memory !== null) parts.push(memoryTable(report.memory));
  if (report.sealing !== null) parts.push(sealingTable(report.sealing));
  if (report.guards !== null) parts.push(guardTable(report.guards));
  if (report.cost !== null) parts.push(costTable(report.cost));
  if (report.profile !== null) parts.push(profileTable(report.profile));
  return `${parts.join('\n\n')}\n`;
}

/** Load average by other work above which figures are of little use. */
const BUSY = 0.5;

function heading({ at, version, machine, pinned, portkey }: Report): string {
  const { fdatasync_ms } = machine;
  return [
    `svc ${version}, ${at}${portkey === null ? '' : `, against ${PORTKEY}`}`,
    `${machine.processor}, ${machine.cores} cores, ${machine.memory_gb} GB, ${machine.kernel}, Node ${machine.node}`,
    `runs on ${machine.file_system}; 4 kB to disk: p50 ${figure(fdatasync_ms.p50)} ms, p99 ${figure(fdatasync_ms.p99)} ms`,
    pinned
      ? 'pinned: the measured process on core 0, load and upstream on the others'
      : 'not pinned: the scheduler places the processes',
    `load average before: ${figure(machine.load_average)}${machine.load_average > BUSY ? '; THE MACHINE IS BUSY with other work: only ratios are meaningful' : ''}`,
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
    figure(row.disk_p50_ms),
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
    'disk p50 ms',
    'cpu µs/req',
    'cores',
    '× bare',
    '× portkey',
    'failed',
  ];
  return table(headings, cells);
}

/** What each figure includes, or why it is missing. */
function comparedTable({ requests, streams, governed, missing }: Report): string {
  const rows = [...(requests ?? []), ...(streams ?? []), ...(governed?.requests ?? [])];
  const measured = new Set<TargetName>(rows.map(({ target }) => target));
  const compared = [...measured].flatMap((name) => {
    const known = COMPARED[name];
    return known === undefined ? [] : [[known.target, known.evidence, known.guards]];
  });
  const without = Object.entries(missing).map(([name, reason]) => [name, `not measured: ${reason}`, '']);
  return table(['target', 'evidence', 'guards'], [...compared, ...without]);
}

function streamTable(rows: readonly StreamRow[]): string {
  const cells = rows.map((row) => [
    row.target,
    row.protocol,
    figure(row.first_byte_p50_ms),
    figure(row.first_byte_p99_ms),
    figure(row.whole_p50_ms),
    figure(row.streams_per_second),
    figure(row.chunks_per_second),
    figure(row.chunks_per_stream),
    figure(row.cpu_us_per_stream),
    figure(row.cpu_share),
    String(row.failures),
  ]);
  const slow = ['1st byte p50 ms', 'p99 ms', 'last p50 ms'];
  return table(
    ['streams', 'protocol', ...slow, 'streams/s', 'chunks/s', 'chunks each', 'cpu µs/stream', 'cores', 'failed'],
    cells,
  );
}

function openTable(rows: readonly OpenRow[]): string {
  const cells = rows.map((row) => [
    row.target,
    String(row.open),
    figure(row.idle?.rss ?? null),
    figure(row.with_open?.rss ?? null),
    figure(row.with_open?.anonymous ?? null),
    figure(row.with_open?.mapped ?? null),
    figure(row.first_byte_p50_ms),
    figure(row.first_byte_p99_ms),
    String(row.failures),
  ]);
  const memory = ['idle RSS MB', 'RSS MB', 'anonymous', 'mapped'];
  return table(['open', 'at once', ...memory, '1st byte p50 ms', 'p99 ms', 'failed'], cells);
}

function memoryTable(rows: readonly MemoryRow[]): string {
  const cells = rows.map((row) => [
    row.requests.toLocaleString('en'),
    figure(row.memory?.rss ?? null),
    figure(row.memory?.anonymous ?? null),
    figure(row.memory?.mapped ?? null),
    figure(row.metrics.rss),
    figure(row.metrics.heap),
    figure(row.metrics.heap_used),
    figure(row.metrics.external),
    String(row.failures),
  ]);
  return table(
    ['requests', 'RSS MB', 'anonymous', 'mapped', 'RSS by /metrics', 'heap', 'heap used', 'external', 'failed'],
    cells,
  );
}

function sealingTable(rows: readonly SealingRow[]): string {
  const cells = rows.map((row) => [
    row.store,
    String(row.writers),
    String(row.batch),
    figure(row.batches_per_second),
    figure(row.p50_ms),
    figure(row.runs_per_second),
  ]);
  return table(['sealing', 'writers', 'runs per batch', 'batches/s', 'p50 ms', 'runs/s'], cells);
}

function guardTable(rows: readonly GuardRow[]): string {
  const cells = rows.map((row) => [
    row.guard,
    String(row.kilobytes),
    String(row.requests),
    figure(row.p50_ms),
    figure(row.p99_ms),
    figure(row.added_p50_ms),
    figure(row.added_p99_ms),
  ]);
  return table(['guard', 'kB', 'requests', 'without p50 ms', 'p99 ms', 'added p50 ms', 'added p99 ms'], cells);
}

function costTable(rows: readonly CostRow[]): string {
  const cells = rows.map(({ target, functions, calls, kilobytes }) => [
    target,
    String(functions),
    figure(calls),
    figure(kilobytes),
  ]);
  return table(['one request', 'own functions', 'calls', 'kB allocated'], cells);
}

/** A row per part, with the microseconds and share of each target. */
function profileTable(rows: readonly ProfileRow[]): string {
  const names = [...new Set(rows.flatMap(({ parts }) => parts.map(({ part }) => part)))];
  const cell = (us: number, busy: number): string[] => [figure(us), `${Math.round((100 * us) / busy)}%`];
  const usOf = ({ parts }: ProfileRow, name: string): number => parts.find(({ part }) => part === name)?.us ?? 0;
  const cells = names.map((name) => [name, ...rows.flatMap((row) => cell(usOf(row, name), row.busy_us))]);
  const sum = ['total', ...rows.flatMap(({ busy_us }) => cell(busy_us, busy_us))];
  return table(['µs of one request', ...rows.flatMap(({ target }) => [target, ''])], [...cells, sum]);
}
