import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Load } from './load-process.ts';
import type { TargetName } from './options.ts';
import { isOurs, Sources } from './sources.ts';
import type { Target } from './target.ts';

/** The work of one request. The figures do not depend on the machine. */
export interface CostRow {
  readonly target: TargetName;
  /** Number of this repository's functions called for every request, and number of calls. */
  readonly functions: number;
  readonly calls: number;
  /** Heap allocated by everything, including libraries and Node. */
  readonly kilobytes: number;
  /** Most called first. */
  readonly called: readonly Called[];
}

interface Called {
  readonly name: string;
  readonly file: string;
  /** Calls per request. */
  readonly calls: number;
}

/** A function's place in a bundle. */
interface Counted {
  readonly url: string;
  readonly offset: number;
  readonly name: string;
  readonly calls: number;
}

/** The part used of a script in Chrome's protocol. */
interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { startOffset: number; count: number }[];
  }[];
}

const MAX_WARM_UP = 10_000;
const WARM_UP_PER_SECOND = 3_000;
/** Number of batches. A timer's work is missing from some of them, so it is not counted for each request. */
const BATCHES = 5;
const COUNTED = 10;
/** Few enough that their garbage fits into the young generation of {@link probedBy}. */
const ALLOCATED = 300;
/** A collection of earlier garbage may spoil a measurement. */
const MAX_TRIES = 5;

export function probeAt(port: number): readonly string[] {
  return ['--import', `${pathToFileURL(join(import.meta.dirname, 'cost-probe.ts'))}?${port}`];
}

/** Flags for a gateway to be counted: the probe, and a heap large enough to keep its garbage during a measurement. */
export function probedBy(port: number): readonly string[] {
  return ['--min-semi-space-size=256', '--max-semi-space-size=256', '--no-maglev', ...probeAt(port)];
}

/** Counts what the gateway with the probe at this port does for one request of each target, sent one at a time. `seconds` limits the warm-up. */
export async function measureCost(targets: readonly Target[], probe: number, load: Load, seconds: number): Promise<CostRow[]> {
  const rows: CostRow[] = [];
  for (const target of targets) {
    const ask = (answers: number, connections = 1) =>
      load.run(target, 'whole', { connections, lead_in_ms: 0, until: { answers } });
    await ask(Math.min(MAX_WARM_UP, seconds * WARM_UP_PER_SECOND), 32);
    const kilobytes = (await allocated(probe, () => ask(ALLOCATED, 32))) / ALLOCATED / 1000;
    await askProbe(probe, 'functions');
    let counted: Counted[] | null = null;
    for (let batch = 0; batch < BATCHES; batch += 1) {
      await ask(COUNTED);
      counted = fewest(counted, ownFunctions(await askProbe<Script[]>(probe, 'functions')));
    }
    const called = inSources((counted ?? []).filter(({ calls }) => calls >= 1));
    const calls = called.reduce((sum, one) => sum + one.calls, 0);
    rows.push({ target: target.name, functions: called.length, calls, kilobytes, called });
  }
  return rows;
}

/** The functions called in both batches, with the lower of both counts. */
function fewest(before: readonly Counted[] | null, now: Counted[]): Counted[] {
  if (before === null) return now;
  const known = new Map(before.map((one) => [`${one.url} ${one.offset}`, one.calls]));
  return now.map((one) => ({ ...one, calls: Math.min(one.calls, known.get(`${one.url} ${one.offset}`) ?? 0) }));
}

async function allocated(probe: number, work: () => Promise<unknown>): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = await askProbe<Heap>(probe, 'heap');
    await work();
    const after = await askProbe<Heap>(probe, 'heap');
    if (after.collections === before.collections) return after.used - before.used;
  }
  throw new Error('garbage was collected during every measurement');
}

interface Heap {
  readonly used: number;
  readonly collections: number;
}

export async function askProbe<T>(port: number, what: 'heap' | 'functions' | 'profile-start' | 'profile-stop'): Promise<T> {
  return (await (await fetch(`http://127.0.0.1:${port}/${what}`)).json()) as T;
}

/** The called functions of this repository's packages. */
function ownFunctions(scripts: readonly Script[]): Counted[] {
  return scripts
    .filter(({ url }) => isOurs(url))
    .flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName: name, ranges: [range] }) =>
        range === undefined || range.count === 0 || range.startOffset === 0
          ? []
          : [{ url, offset: range.startOffset, name, calls: range.count / COUNTED }],
      ),
    );
}

/** Groups calls by source file, most called first. Ignores bundled libraries. */
function inSources(counted: readonly Counted[]): Called[] {
  const sources = new Sources();
  const lines = new Map([...new Set(counted.map(({ url }) => url))].map((url) => [url, lineStartsOf(url)]));
  return counted
    .flatMap(({ url, offset, name, calls }) => {
      const starts = lines.get(url) ?? [];
      const line = starts.findLastIndex((start) => start <= offset);
      const file = sources.at(url, line, offset - (starts[line] ?? 0));
      return file.includes('node_modules/') ? [] : [{ name, file, calls }];
    })
    .sort((a, b) => b.calls - a.calls);
}

function lineStartsOf(url: string): number[] {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}
