import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callIn, questionFor } from './calls.ts';
import { measureKilled } from './killed.ts';
import { readOptions } from './options.ts';
import { freePort, Processes } from './processes.ts';
import type { Target } from './target.ts';

let folder: string;
let processes: Processes;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  processes = new Processes(folder, false);
});
afterAll(async () => {
  processes.end();
  await rm(folder, { recursive: true, force: true });
});

const file = (name: string) => join(import.meta.dirname, name);

it('counts the calls that reached the model and have no record, over several kills', async () => {
  const [upstreamPort, port] = [await freePort(), await freePort()];
  const upstream = await processes.serve('upstream', 'upstream', upstreamPort, [file('upstream.ts'), String(upstreamPort)]);
  const start = async () =>
    (await processes.serve('measured', 'bare', port, [file('pass-through.ts'), String(port), String(upstreamPort)])).pid;
  const bodies: string[] = [];
  const target: Target = {
    name: 'bare',
    protocols: ['chat'],
    instances: [{ port, pid: await start() }],
    headers: () => ({}),
    model: (model) => model,
    // The first five calls are all that it knows.
    records: {
      restart: start,
      read: async () => (call, body) => {
        bodies.push(body);
        return call < 5;
      },
    },
  };
  const options = readOptions(['--seconds', '0.3', '--rounds', '2']);
  if (options === null) throw new Error('no options');
  const [row] = await measureKilled([target], upstream, processes, options);
  expect(row).toMatchObject({ target: 'bare', kills: 2 });
  expect(row?.calls).toBeGreaterThan(5);
  expect(row?.unrecorded).toBe((row?.calls ?? 0) - 5);
  expect(bodies.map(callIn)).not.toContain(null);
});

it('finds a call by its question', () => {
  expect([questionFor(17), 'What is a case?'].map(callIn)).toEqual([17, null]);
});
