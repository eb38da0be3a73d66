import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Closing } from '@svc/runtime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ResolvedConfig } from '../config/index.ts';
import { runsDb } from '../config/runs-db.ts';
import { starterConfiguration } from '../config/starter-configuration.ts';
import { newKey } from '../keys/new-key.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { Metrics } from '../telemetry/metrics/metrics.ts';
import { Tracing } from '../telemetry/tracing/tracing.ts';
import { assemble } from './assemble.ts';
import type { AssembleOptions } from './assemble-options.ts';
import { readConfiguration } from './configuration.ts';
import type { Container, Token } from './container.ts';
import { newHost } from './host.ts';
import * as tokens from './tokens.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-compose-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The starter configuration, with traces. */
async function configurationFor(host: Container): Promise<ResolvedConfig> {
  const file = join(folder, 'svc.yaml');
  const traces = 'telemetry: { traces: { endpoint: "http://127.0.0.1:9/v1/traces" } }';
  const keys = { key_hash: newKey().key_hash, approver_key_hash: newKey().key_hash };
  await writeFile(file, `${starterConfiguration(keys, 'svc.schema.json')}${traces}\n`);
  const { config } = await readConfiguration(file, true, host);
  if (config === null) throw new Error('the configuration has errors');
  return config;
}

const optionsFor = (path: string): AssembleOptions => ({
  runs_db: runsDb(path, true),
  seals_inventory: true,
  allowed_hosts: null,
  metrics: new Metrics(),
});

test('every token has a part, and a guard uses the parts of the server that created it', async () => {
  const host = newHost(silentLogger);
  const guard = host.resolve(tokens.PLUGIN_DEPS).guard('node', folder);
  const retrieved = () => guard.openNamespace('docs').retrieve('text', { k: 1, filter: {}, signal: AbortSignal.timeout(1000) });
  await expect(guard.counters.read(['spent'])).rejects.toThrow('counters can be used only during a run');
  await expect(retrieved()).rejects.toThrow('retrieval is not available: add a section rag');

  // If one were registered twice, this would throw.
  const { close } = await assemble(await configurationFor(host), optionsFor(join(folder, 'every-token')), host);
  const all: Record<string, Token<unknown>> = tokens;
  for (const [name, part] of Object.entries(all)) expect(await host.resolve(part), name).not.toBeUndefined();
  expect(await guard.counters.read(['spent'])).toEqual([0]);
  await expect(retrieved()).rejects.toThrow('retrieval is not available: add a section rag');
  await close(new Closing());
});

test('a container serves only one configuration', async () => {
  const host = newHost(silentLogger);
  const config = await configurationFor(host);
  const { close } = await assemble(config, optionsFor(join(folder, 'one')), host);
  await expect(assemble(config, optionsFor(join(folder, 'another')), host)).rejects.toThrow('registered twice');
  await close(new Closing());
});

test('secrets are read no more, runs end before answers are cut off, and the store closes before the guards', async () => {
  const host = newHost(silentLogger);
  const { close } = await assemble(await configurationFor(host), optionsFor(join(folder, 'order')), host);
  const closing = new Closing();
  const seen: string[] = [];
  const end = closing.end.bind(closing);
  vi.spyOn(closing, 'end').mockImplementation(async (part, limit_ms, work) => {
    seen.push(`${part} …`);
    await end(part, limit_ms, work);
    seen.push(part);
  });
  await close(closing);
  expect(closing.left).toEqual([]);

  /** Each group has ended before the next one begins. */
  const groups = [
    ['secrets'],
    ['runs'],
    ['connections'],
    ['server'],
    ['traces', 'ledger', 'leases', 'runs-db'],
    [...seen.filter((part) => /^(guard|provider) .*[^…]$/.test(part)), 'worker threads'],
  ];
  expect(groups[5]?.length).toBeGreaterThan(2);
  let from = 0;
  for (const group of groups) {
    const part = seen.slice(from, from + 2 * group.length);
    expect(part.toSorted()).toEqual(group.flatMap((name) => [`${name} …`, name]).toSorted());
    from += part.length;
  }
  expect(from).toBe(seen.length);
});

test('if the store cannot be opened, tracing and everything else is closed again', async () => {
  const host = newHost(silentLogger);
  const config = await configurationFor(host);
  const closed = { tracing: vi.spyOn(Tracing.prototype, 'close'), workers: vi.spyOn(host.resolve(tokens.GUARD_POOL), 'close') };
  // The store would create a folder where this file is.
  await expect(assemble(config, optionsFor(config.path), host)).rejects.toMatchObject({ code: 'OPEN' });
  expect(closed.tracing).toHaveBeenCalledOnce();
  expect(closed.workers).toHaveBeenCalledOnce();
});
