import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { commitSealed, createRun, fakeClock, fakeLogger, moveRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { type Key, open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { LmdbStore } from './lmdb-store.ts';
import { copyFiles, openStore, temporaryFolder } from './test-store.ts';

function newFolder(): string {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  return folder;
}

/** What stands where in a folder that is not open. */
async function inside(folder: string) {
  const env = open<string, string>({ path: folder, noSubdir: false, encoding: 'string', overlappingSync: false });
  const keysOf = (name: string) => [...env.openDB<string, Key>(name, { encoding: 'string' }).getKeys()];
  const found = { runs: keysOf('runs'), index: keysOf('run-index') };
  await env.close();
  return found;
}

interface Place {
  readonly folder: string;
  readonly store: LmdbStore;
}

async function reopened({ folder, store }: Place): Promise<Place> {
  await store.close();
  return { folder, store: await openStore(folder) };
}

async function crashed({ folder, store }: Place): Promise<Place> {
  const copy = newFolder();
  copyFiles(folder, copy);
  await store.close();
  return { folder: copy, store: await openStore(copy) };
}

test.each([
  ['in this process', async (place: Place) => place],
  ['over a restart', reopened],
  ['over a crash', crashed],
])('a started run is found by every query, %s, and nothing remains of its start once it has ended', async (_, next) => {
  const made = newFolder();
  const start = sampleRun({ status: 'running' });
  const first = await openStore(made);
  await first.commit([createRun(start)], []);
  const { folder, store } = await next({ folder: made, store: first });
  expect(await store.run(start.run_id)).toEqual(start);
  expect(await store.statuses([start.run_id])).toEqual(new Map([[start.run_id, 'running']]));
  expect(await store.countRuns()).toMatchObject({ running: 1 });
  for (const filter of [{}, { status: ['running'] as const }, { principal: start.principal_id }, { route: start.route }])
    expect((await store.runs({ ...filter, limit: 10 })).rows).toEqual([start]);
  const dumped = [];
  for await (const item of store.dump()) if (item.kind === 'run') dumped.push(item.run);
  expect(dumped).toEqual([start]);
  await commitSealed(store, [moveRun(start, 'completed')]);
  expect(await store.countRuns()).toMatchObject({ running: 0, completed: 1 });
  await store.close();

  const other = newFolder();
  const once = await openStore(other);
  await commitSealed(once, [createRun({ ...start, status: 'completed' })]);
  await once.close();
  expect(await inside(folder)).toEqual(await inside(other));
});

test('a run that schema 2 left running is found, and leaves nothing in the index when it ends', async () => {
  const folder = newFolder();
  const start = sampleRun({ status: 'running' });
  await (await openStore(folder)).close();
  const env = open<string, string>({ path: folder, noSubdir: false, encoding: 'string', overlappingSync: false });
  const index = env.openDB<string, Key[]>('run-index', { encoding: 'string' });
  env.transactionSync(() => {
    env.putSync('schema', '2');
    env.openDB<string, string>('runs', { encoding: 'string' }).putSync(start.run_id, JSON.stringify(start));
    const { created_at, run_id, route, principal_id } = start;
    for (const [kind, value] of Object.entries({ status: 'running', route, principal: principal_id }))
      index.putSync([kind, value, created_at, run_id], '');
  });
  await env.close();

  const store = await openStore(folder);
  expect((await store.runs({ status: ['running'], limit: 10 })).rows).toEqual([start]);
  await commitSealed(store, [moveRun(start, 'error')]);
  expect((await store.runs({ status: ['running'], limit: 10 })).rows).toEqual([]);
  expect((await store.runs({ limit: 10 })).rows).toMatchObject([{ run_id: start.run_id, status: 'error' }]);
  await store.close();
  expect((await inside(folder)).index).toHaveLength(4);
});

test('a run that schema 3 stored in a separate place is found by every reader, and can change', async () => {
  const folder = newFolder();
  const start = sampleRun({ status: 'running' });
  await (await openStore(folder)).close();
  const env = open<string, string>({ path: folder, noSubdir: false, encoding: 'string', overlappingSync: false });
  const started = env.openDB<string, string>('started-runs', { encoding: 'string' });
  const state = env.openDB<string, Key[]>('state', { encoding: 'string' });
  env.transactionSync(() => {
    env.putSync('schema', '3');
    env.removeSync('log');
    started.putSync(start.run_id, JSON.stringify(start));
    state.putSync(['counts'], JSON.stringify({ running: 1 }));
  });
  await env.close();
  rmSync(join(folder, 'commits.log'));

  for (const access of ['read', 'serve'] as const) {
    const store = new LmdbStore(folder, 0, { clock: fakeClock(), logger: fakeLogger() });
    await store.open(access);
    expect(await store.run(start.run_id)).toEqual(start);
    expect((await store.runs({ status: ['running'], limit: 10 })).rows).toEqual([start]);
    expect(await store.countRuns()).toMatchObject({ running: 1 });
    await store.close();
  }
  expect(await inside(folder)).toEqual({ runs: [start.run_id], index: [['live', start.created_at, start.run_id]] });
});

test('of two changes that end a started run one wins, and the other gets the current row', async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  const start = sampleRun({ status: 'running' });
  await store.commit([createRun(start)], []);
  const ends = ['completed', 'error'] as const;
  const outcomes = [];
  for (const status of ends) outcomes.push(...(await commitSealed(store, [moveRun(start, status)])));
  expect(outcomes).toMatchObject([
    { result: 'committed' },
    { result: 'conflict', current: { status: 'completed', evidence: { seq: 1 } } },
  ]);
  expect(await verifiedChain(store)).toHaveLength(1);
  await store.close();
});
