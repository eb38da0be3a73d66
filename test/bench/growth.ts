// Measures what grows with the ledger: startup time, audit pages, memory. `npm run bench:growth -- --runs 500000,1000000,5000000`.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Example, exampleIn, fill } from './growth-fill.ts';
import { GrowthFolder, type GrowthGateway, LIMIT, pagesOf } from './growth-gateway.ts';
import { describeMachine } from './machine.ts';
import { openStore } from './open-store.ts';
import { Processes } from './processes.ts';
import { median } from './statistics.ts';
import { figure, table } from './table.ts';

const ROUNDS = 5;
const PAGE_ROUNDS = 15;
/** Size of the folder that alternates with the large one, so that other work on the machine affects both. */
const SMALL = 5_000;

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '500000,1000000,5000000' }, folder: { type: 'string' } },
});
const sizes = values.runs.split(',').map(Number);
if (!sizes.every((size, i) => Number.isSafeInteger(size) && size > (sizes[i - 1] ?? LIMIT))) {
  process.stderr.write(`--runs: whole numbers above ${LIMIT}, in ascending order\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(values.folder ?? tmpdir(), 'svc-bench-'));
const processes = new Processes(folder, false);
process.once('exit', () => {
  processes.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

async function withStore<T>({ runsDb }: GrowthFolder, use: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>) {
  const store = await openStore('lmdb', { path: runsDb });
  return use(store).finally(() => store.close());
}

async function makeExample(of: GrowthFolder): Promise<Example> {
  const gateway = await of.start();
  const run_id = await gateway.chat();
  await gateway.stop();
  return withStore(of, (store) => exampleIn(store, run_id));
}

async function grow(of: GrowthFolder, example: Example, from: number, to: number): Promise<void> {
  const began = performance.now();
  await withStore(of, (store) => fill(store, example, from, to));
  const written = performance.now();
  // Builds the tree over the records, as a gateway that wrote them would have done.
  const gateway = await of.start();
  await gateway.checked();
  await gateway.checkpoint();
  await gateway.stop();
  const seconds = [written - began, performance.now() - written].map((ms) => figure(ms / 1000));
  process.stderr.write(`${to} runs: written in ${seconds[0]} s, checked and signed in ${seconds[1]} s\n`);
}

/** Median startup times. Alternates between the folders. */
async function starts(folders: readonly GrowthFolder[]): Promise<number[]> {
  const took = folders.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [i, one] of folders.entries()) {
      const gateway = await one.start();
      took[i]?.push(gateway.start_ms);
      await gateway.stop();
    }
  }
  return took.map(median);
}

async function pages(gateways: readonly [small: GrowthGateway, large: GrowthGateway], runs: number): Promise<string[][]> {
  const [small, large] = gateways;
  const ofSmall = pagesOf(SMALL);
  const rows: string[][] = [];
  for (const [name, path] of Object.entries(pagesOf(runs))) {
    const [beside, took]: [number[], number[]] = [[], []];
    let entries = 0;
    for (let round = 0; round < PAGE_ROUNDS; round += 1) {
      beside.push((await small.page(ofSmall[name] ?? path)).ms);
      const page = await large.page(path);
      took.push(page.ms);
      entries = page.entries;
    }
    rows.push([
      name,
      runs.toLocaleString('en'),
      String(entries),
      ...[median(beside), median(took), Math.max(...took)].map(figure),
    ]);
  }
  return rows;
}

process.stdout.write(`${JSON.stringify(describeMachine(folder))}\n`);
const small = new GrowthFolder(processes, join(folder, 'small'));
const large = new GrowthFolder(processes, join(folder, 'large'));
const example = await makeExample(large);
await makeExample(small);
await grow(small, example, 0, SMALL);
const headings = ['runs', 'GB', 'start ms', 'audit after s', 'check MB', 'own MB', 'later', 'mapped', 'req/s'];
for (const [i, runs] of sizes.entries()) {
  await grow(large, example, sizes[i - 1] ?? 0, runs);
  const started = await starts([small, large]);
  const [beside, gateway] = [await small.start(), await large.start()];
  const atStart = [beside, gateway].map((one) => one.memory());
  const checked = await gateway.checked();
  await beside.checked();
  const pageRows = await pages([beside, gateway], runs);
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [n, one] of [beside, gateway].entries()) rates[n]?.push(await one.load());
  const later = [beside, gateway].map((one) => one.memory());
  await Promise.all([beside.stop(), gateway.stop()]);
  const both = (n: number): string[] => [
    (n === 0 ? SMALL : runs).toLocaleString('en'),
    figure(statSync(join((n === 0 ? small : large).runsDb, 'data.mdb')).size / 1e9),
    figure(started[n] ?? null),
    n === 0 ? '–' : figure(checked.seconds),
    n === 0 ? '–' : figure(checked.child_mb),
    figure(atStart[n]?.anonymous ?? null),
    figure(later[n]?.anonymous ?? null),
    figure(later[n]?.mapped ?? null),
    figure(median(rates[n] ?? [])),
  ];
  process.stdout.write(`\n${table(headings, [both(0), both(1)])}\n\n`);
  process.stdout.write(`${table(['page', 'runs', 'entries', `of ${SMALL} p50 ms`, 'p50 ms', 'worst ms'], pageRows)}\n`);
}
process.exit();
