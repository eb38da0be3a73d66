import { setTimeout as delayed } from 'node:timers/promises';
import type { Load } from './load-process.ts';
import { isPeer, type Options, type TargetName } from './options.ts';
import { type Memory, memoryOf } from './proc.ts';
import { ask, type Started } from './processes.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import { inRounds } from './rounds.ts';
import { median } from './statistics.ts';
import type { Target, UpstreamModel } from './target.ts';

/** 20 chunks over 200 ms. A gateway that waits for the whole answer has a late first byte. */
const SLOW: UpstreamModel = 'stream-20-10';
/** 50 chunks without delay. */
const FAST: UpstreamModel = 'stream-50-0';
/** Delay between chunks for measurements with many open streams. */
const OPEN_DELAY_MS = 200;
const CONNECTIONS = 32;
/** Warm-up streams, the same number for each target. Fewer for targets without a just-in-time compiler. */
const WARM_UP_PER_SECOND = 1_000;
const WARM_UP_ANSWERS = 3_000;
const FEW_ANSWERS = 50;
const LEAD_IN_MS = 300;
const SAMPLE_MS = 200;

/** The upstream models of the stream part. Streams stay open for twice the length of a measurement. */
export function streamModels({ seconds }: Options): readonly [UpstreamModel, UpstreamModel, UpstreamModel] {
  return [SLOW, FAST, `stream-${Math.ceil((seconds * 2000) / OPEN_DELAY_MS)}-${OPEN_DELAY_MS}`];
}

export interface StreamRow {
  readonly target: TargetName;
  readonly protocol: Protocol;
  /** With 32 connections; the upstream sends for 200 ms. */
  readonly first_byte_p50_ms: number;
  readonly first_byte_p99_ms: number;
  readonly whole_p50_ms: number;
  /** With 32 connections; the upstream sends 50 chunks and the end at once. Medians over the rounds. */
  readonly streams_per_second: number;
  readonly chunks_per_second: number;
  readonly chunks_per_stream: number;
  readonly cpu_us_per_stream: number | null;
  /** Share of a core that the target used. Under 1, the load or the upstream was slower. */
  readonly cpu_share: number | null;
  readonly failures: number;
}

export interface OpenRow {
  readonly target: TargetName;
  /** Maximum number of streams open at the upstream. */
  readonly open: number;
  readonly idle: Memory | null;
  /** Maximum while they were open. */
  readonly with_open: Memory | null;
  readonly first_byte_p50_ms: number;
  readonly first_byte_p99_ms: number;
  readonly failures: number;
}

/** Opens streams together and reads each target's memory meanwhile. Pass targets that have served nothing yet. */
export async function measureOpen(
  targets: readonly Target[],
  load: Load,
  upstream: Started,
  options: Options,
): Promise<OpenRow[]> {
  const [, , model] = streamModels(options);
  const count = options.open_streams;
  const rows: OpenRow[] = [];
  for (const target of targets) {
    const idle = memoryOf(target.instances[0].pid);
    const ended = new AbortController();
    const watch = watchOpen(target, upstream, ended.signal);
    const seen = await load.run(target, model, { connections: count, lead_in_ms: 0, until: { answers: count } });
    ended.abort();
    const { p50, p99 } = seen.first_byte_ms;
    const first_byte = { first_byte_p50_ms: p50, first_byte_p99_ms: p99 };
    rows.push({ target: target.name, idle, ...first_byte, failures: seen.failures, ...(await watch) });
  }
  return rows;
}

async function watchOpen(target: Target, upstream: Started, ended: AbortSignal): Promise<Pick<OpenRow, 'open' | 'with_open'>> {
  let open = 0;
  let most: Memory | null = null;
  while (!ended.aborted) {
    const now = await ask<number>(upstream, { asked: 'open' });
    const memory = memoryOf(target.instances[0].pid);
    open = Math.max(open, now);
    if (memory !== null && memory.rss > (most?.rss ?? 0)) most = memory;
    await delayed(SAMPLE_MS);
  }
  return { open, with_open: most };
}

/** Measures time to first byte and chunks per second for each protocol, with an upstream of the same protocol. */
export async function measureStreams(targets: readonly Target[], load: Load, options: Options): Promise<StreamRow[]> {
  const rows: StreamRow[] = [];
  for (const protocol of PROTOCOLS) {
    const speaking = targets.filter(({ protocols }) => protocols.includes(protocol));
    rows.push(...(await measureProtocol(protocol, speaking, load, options)));
  }
  return rows;
}

async function measureProtocol(
  protocol: Protocol,
  targets: readonly Target[],
  load: Load,
  { seconds, rounds }: Options,
): Promise<StreamRow[]> {
  const enough = Math.min(WARM_UP_ANSWERS, seconds * WARM_UP_PER_SECOND);
  for (const target of targets) {
    const answers = isPeer(target.name) ? Math.min(FEW_ANSWERS, enough) : enough;
    await load.run(target, FAST, { connections: CONNECTIONS, lead_in_ms: 0, until: { answers }, protocol });
  }
  const measured = await inRounds(
    rounds,
    targets,
    (target) => measure(protocol, target, load, seconds),
    (row) => row.streams_per_second,
  );
  return targets.map((_, at) => overRounds(measured.flatMap((row) => row[at] ?? [])));
}

async function measure(protocol: Protocol, target: Target, load: Load, seconds: number): Promise<StreamRow> {
  const job = { connections: CONNECTIONS, lead_in_ms: LEAD_IN_MS, until: { ms: seconds * 1000 }, protocol };
  const slow = await load.run(target, SLOW, job);
  const fast = await load.run(target, FAST, job);
  return {
    target: target.name,
    protocol,
    first_byte_p50_ms: slow.first_byte_ms.p50,
    first_byte_p99_ms: slow.first_byte_ms.p99,
    whole_p50_ms: slow.millis.p50,
    streams_per_second: fast.answers / fast.seconds,
    chunks_per_second: fast.frames / fast.seconds,
    chunks_per_stream: fast.frames / fast.answers,
    cpu_us_per_stream: fast.cpu_ms === null ? null : (fast.cpu_ms * 1000) / fast.answers,
    cpu_share: fast.cpu_ms === null ? null : fast.cpu_ms / 1000 / fast.seconds,
    failures: slow.failures + fast.failures,
  };
}

function overRounds(rounds: readonly StreamRow[]): StreamRow {
  const [first] = rounds;
  if (first === undefined) throw new Error('no round');
  const middle = (of: (row: StreamRow) => number): number => median(rounds.map(of));
  return {
    target: first.target,
    protocol: first.protocol,
    first_byte_p50_ms: middle((row) => row.first_byte_p50_ms),
    first_byte_p99_ms: middle((row) => row.first_byte_p99_ms),
    whole_p50_ms: middle((row) => row.whole_p50_ms),
    streams_per_second: middle((row) => row.streams_per_second),
    chunks_per_second: middle((row) => row.chunks_per_second),
    chunks_per_stream: middle((row) => row.chunks_per_stream),
    cpu_us_per_stream: first.cpu_us_per_stream === null ? null : middle((row) => row.cpu_us_per_stream ?? Number.NaN),
    cpu_share: first.cpu_share === null ? null : middle((row) => row.cpu_share ?? Number.NaN),
    failures: rounds.reduce((sum, { failures }) => sum + failures, 0),
  };
}
