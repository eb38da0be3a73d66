import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newKey } from './commands/new-key.ts';
import { starterConfiguration } from './commands/starter-configuration.ts';
import { assemble, makeParts, readConfiguration } from './compose.ts';
import { silentLogger } from './logger.ts';
import { Metrics } from './metrics.ts';
import { runsDb } from './runs-db.ts';
import { Tracing } from './tracing/tracing.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-compose-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('where the store cannot be opened, tracing is closed again with all else', async () => {
  const file = join(folder, 'svc.yaml');
  const traces = 'telemetry: { traces: { endpoint: "http://127.0.0.1:9/v1/traces" } }';
  await writeFile(file, `${starterConfiguration(newKey().key_hash)}${traces}\n`);
  const parts = makeParts(silentLogger);
  const { config } = await readConfiguration(file, true, parts);
  if (config === null) throw new Error('the configuration has errors');
  const closed = { tracing: vi.spyOn(Tracing.prototype, 'close'), workers: vi.spyOn(parts.workers, 'close') };
  // A file, where the store makes a folder.
  await expect(
    assemble(
      config,
      { runs_db: runsDb(file), seals_inventory: true, allowed_hosts: null, metrics: new Metrics() },
      parts,
      silentLogger,
    ),
  ).rejects.toMatchObject({
    code: 'OPEN',
  });
  expect(closed.tracing).toHaveBeenCalledOnce();
  expect(closed.workers).toHaveBeenCalledOnce();
});
