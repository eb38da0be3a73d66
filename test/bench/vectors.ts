// Measures a search in vectors-local and its effect on other work: `npm run bench:vectors`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { NewVector, Vectors } from '@svc/contracts';
import { discoverPlugins, findPlugin, loadPlugin } from '@svc/kernel/plugins';
import { fakePluginDeps } from '@svc/sdk/testing';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    dimensions: { type: 'string', default: '384' },
    queries: { type: 'string', default: '300' },
  },
});
const dimensions = Number(values.dimensions);
const NEVER = new AbortController().signal;
const BATCH = 1000;

async function localVectors(): Promise<Vectors> {
  const file = join(import.meta.dirname, '..', '..', 'host', 'package.json');
  const entry = findPlugin(discoverPlugins({ roots: [{ file, builtIn: true }] }), 'vectors', 'local');
  if (entry === null) throw new Error('no plugin vectors-local');
  return (await loadPlugin(entry)).create({}, fakePluginDeps());
}

function vector(): Float32Array {
  return Float32Array.from({ length: dimensions }, () => Math.random() - 0.5);
}

function batch(from: number, count: number): NewVector[] {
  return Array.from({ length: count }, (_, i) => ({
    document: {
      id: `document-${from + i}`,
      text: `The text of document ${from + i}. `.repeat(20),
      metadata: { n: (from + i) % 10 },
    },
    vector: vector(),
  }));
}

/** Milliseconds of each call, shortest first. */
async function timed(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const begun = performance.now();
    await work();
    took.push(performance.now() - begun);
  }
  return took.sort((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);

async function measure(size: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    const storage = { folder, model: 'bench', dimensions };
    const filling = await localVectors();
    await filling.open(storage);
    const filled = performance.now();
    for (let from = 0; from < size; from += BATCH) await filling.upsert('svc-bench', batch(from, Math.min(BATCH, size - from)));
    const fill_s = (performance.now() - filled) / 1000;
    await filling.close?.();
    const vectors = await localVectors();
    const begun = performance.now();
    await vectors.open(storage);
    const open_ms = performance.now() - begun;
    const query = (filter = {}) => vectors.query('svc-bench', vector(), 4, filter, NEVER);
    await timed(20, query);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const cpu = process.cpuUsage();
    const plain = await timed(Number(values.queries), () => query());
    const used = process.cpuUsage(cpu);
    delay.disable();
    const filtered = await timed(Number(values.queries) / 3, () => query({ n: 7 }));
    await vectors.close?.();
    const cells = [
      size,
      at(plain, 0.5),
      at(plain, 0.99),
      ((used.user + used.system) / 1000 / plain.length).toFixed(1),
      at(filtered, 0.99),
      (delay.percentile(99) / 1e6).toFixed(1),
      open_ms.toFixed(0),
      fill_s.toFixed(1),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.stdout.write(`${dimensions} dimensions, k = 4, one query after another, Node ${process.version}\n\n`);
process.stdout.write(
  '| Documents | Query p50 ms | p99 ms | CPU ms per query | p99 ms with a filter | Event loop delay p99 ms | Open ms | Indexing s |\n',
);
process.stdout.write('|---|---|---|---|---|---|---|---|\n');
for (const size of values.sizes.split(',')) await measure(Number(size));
