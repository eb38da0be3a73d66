// Measures run queries over a large store in the worst case: each filter alone matches half of all runs, and two together match none. `npm run
// bench:audit -- --runs 500000 --store lmdb|postgres`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RunQuery, Store } from '@svc/contracts';
import { createRun, sampleRun } from '@svc/sdk/testing';
import { PostgresServer } from '../harness/postgres-server.ts';
import { openStore } from './open-store.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '500000' }, store: { type: 'string', default: 'lmdb' } },
});
const runs = Number(values.runs);
const BATCH = 2000;
const at = (second: number): string => new Date(Date.UTC(2026, 0, 5) + second * 1000).toISOString();
const ROUNDS = 5;

const QUERIES: Readonly<Record<string, Omit<RunQuery, 'limit'>>> = {
  'no filter': {},
  status: { status: ['blocked'] },
  principal: { principal: 'first' },
  'principal and status, none': { principal: 'first', status: ['blocked'] },
  'route and status, none': { route: 'second', status: ['completed'] },
  'principal and route, none': { principal: 'first', route: 'second' },
  'principal, route and status, none': { principal: 'first', route: 'first', status: ['blocked'] },
  'principal, route and status, many': { principal: 'first', route: 'first', status: ['completed'] },
  'principal and since': { principal: 'first', since: at(Math.floor(runs / 2) - 10) },
  'status of few live runs': { principal: 'second', status: ['running'] },
};

async function fill(store: Store): Promise<void> {
  for (let from = 0; from < runs; from += BATCH) {
    const changes = Array.from({ length: Math.min(BATCH, runs - from) }, (_, i) => {
      const half = from + i < runs / 2 ? 'first' : 'second';
      const status = half === 'first' ? 'completed' : 'blocked';
      return createRun(sampleRun({ created_at: at(from + i), principal_id: half, route: half, status }));
    });
    await store.commit(changes, []);
  }
}

async function measure(store: Store): Promise<void> {
  for (const [name, query] of Object.entries(QUERIES)) {
    const took: number[] = [];
    let found = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = performance.now();
      found = (await store.runs({ ...query, limit: 1000 })).rows.length;
      took.push(performance.now() - begun);
    }
    const median = took.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
    console.log(`${name.padEnd(36)} ${String(found).padStart(5)} runs ${median.toFixed(1).padStart(8)} ms`);
  }
}

const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
const server = values.store === 'postgres' ? await PostgresServer.start() : null;
try {
  const store = await (server === null
    ? openStore('lmdb', { path: folder })
    : openStore('postgres', { url: await server.database('bench') }));
  const begun = performance.now();
  await fill(store);
  console.log(`${runs} runs written in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  await measure(store);
  await store.close();
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
