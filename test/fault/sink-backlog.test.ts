import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sink, takes } from '../../plugins/exporter-webhook/src/sink-fixture.ts';
import { TestGateway } from '../harness/gateway.ts';
import { fillLedger } from './backlog.ts';
import { LONG } from './form.ts';
import { assertInOrder, exportingConfig, FILE, hangs, linesOf, servedRecords, WEBHOOK } from './sink-scene.ts';

const RECORDS = LONG ? 400_000 : 40_000;
/** Far below what the backlog takes: a gateway that gathers it dies. */
const HEAP_MB = 96;
/** V8 keeps room in the heap for all of its young generation: a large one would end a gateway that holds little. */
const YOUNG_MB = 4;
/** What it may take outside of its heap, and for its heap to be used, while all of the backlog leaves: in the long form a fraction of it. */
const MAX_MB = 200;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-backlog-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Memory that a process has for itself: a store that is mapped into it is not counted. In megabytes; null where the system does not say. */
async function memoryOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(status) ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

it(`after a long outage of its sinks ${RECORDS} records leave in order, through a kill, in a heap of ${HEAP_MB} MB`, {
  timeout: 1_800_000,
}, async () => {
  await fillLedger(folder, RECORDS);
  const sink = await new Sink().listen();
  sink.manner = hangs;
  const away = { ...FILE, name: 'away', path: './away/evidence.jsonl' };
  const exporters = [{ ...WEBHOOK, timeout_ms: 10_000, url: sink.url, batch: 64 }, FILE, away];
  const gateway = await TestGateway.start({
    config: exportingConfig(exporters),
    args: ['--runs-db', folder],
    env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --max-semi-space-size=${YOUNG_MB}` },
  });
  try {
    const chats = async (count: number) => {
      const all = await Promise.all(Array.from({ length: count }, () => gateway.chat('hello')));
      expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    };
    await chats(100);
    const before = await memoryOf(gateway.pid);
    let most = 0;
    const watching = setInterval(() => void memoryOf(gateway.pid).then((now) => (most = Math.max(most, now ?? 0))), 50);
    sink.manner = takes;
    await expect.poll(() => sink.kept.length, { timeout: 600_000 }).toBeGreaterThan(RECORDS / 3);
    clearInterval(watching);
    await gateway.stop('SIGKILL');
    await gateway.launch();
    await chats(100);
    const served = await servedRecords(gateway);
    expect(served.length).toBeGreaterThan(RECORDS + 200);
    const patience = { timeout: 900_000, interval: 200 };
    await expect.poll(() => sink.kept.length, patience).toBe(served.length);
    await expect.poll(async () => (await linesOf(gateway)).length, patience).toBe(served.length);
    expect(sink.kept).toEqual(served);
    expect(await linesOf(gateway)).toEqual(served);
    assertInOrder(sink.asked);
    expect(sink.atOnce).toBe(1);
    if (before !== null) expect(most - before).toBeLessThan(MAX_MB);
  } finally {
    await gateway.dispose();
    await sink.close();
  }
});
