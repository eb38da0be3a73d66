import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runsDb } from '../../host/src/config/runs-db.ts';
import { contentKeys } from '../../host/src/keys/content-key.ts';
import { LONG, ROUNDS_TIMEOUT_MS } from './form.ts';

/** Erasures before the last that are measured. */
const MANY = LONG ? 100_000 : 2_000;
const MEASURED = 100;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-many-erasures-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => {
  const settings = { content_key: null, older_content_keys: [], content_key_file: join(folder, 'content.key') };
  return contentKeys(settings, runsDb(join(folder, 'runs-db')));
};
const runs = (count: number) => Array.from({ length: count }, () => randomUUID());

async function sizes(): Promise<{ all: number; largest: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const each = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return { all: each.reduce((sum, size) => sum + size, 0), largest: Math.max(...each) };
}

/** The processor time of an erasure by itself, in milliseconds: the median. No turn of the loop takes longer. */
async function timeOfOne({ forget }: Awaited<ReturnType<typeof open>>): Promise<number> {
  const took: number[] = [];
  for (const run_id of runs(MEASURED)) {
    const before = process.cpuUsage();
    await forget?.([run_id]);
    const { user, system } = process.cpuUsage(before);
    took.push((user + system) / 1000);
  }
  return took.sort((a, b) => a - b)[MEASURED / 2] ?? 0;
}

it(
  `an erasure after ${MANY} others takes no longer than an early one, and each adds the same amount to the key`,
  async () => {
    const keys = await open();
    const early = await timeOfOne(keys);
    await keys.forget?.(runs(MANY / 2));
    const half = await sizes();
    const gone = runs(MANY / 2);
    await keys.forget?.(gone);
    const whole = await sizes();
    expect(((whole.all - half.all) * 1000) / gone.length).toBeLessThan(2_400_000);
    expect(whole.largest).toBeLessThan(300_000);
    const late = await timeOfOne(keys);
    expect(late).toBeLessThan(Math.max(20, 4 * early));
    // What a start reads does not grow, and nothing comes back by it.
    const before = process.cpuUsage();
    const again = await open();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
    expect(gone.slice(0, MEASURED).filter((run_id) => again.newest.keyFor(run_id) !== null)).toEqual([]);
    expect(again.newest.keyFor(randomUUID())).not.toBeNull();
  },
  ROUNDS_TIMEOUT_MS,
);
