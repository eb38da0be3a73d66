import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DumpItem, Store } from '@svc/sdk/store';
import { commitSealed, createRun, fakeClock, fakeLogger, moveRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LmdbStore } from '../lmdb-store.ts';
import { copyFiles, openStore, temporaryFolder } from '../test-store.ts';

/** Of free space: the log is a sixteenth of it, 64 KiB. */
const RESERVE = 1024 * 1024;
const COPIES = process.env.SVC_FAULT === 'long' ? 10 : 4;

let root: string;
let remove: () => void;
beforeEach(() => {
  ({ folder: root, remove } = temporaryFolder());
});
afterEach(() => remove());

async function opened(folder: string, access: 'serve' | 'read' = 'serve'): Promise<LmdbStore> {
  const store = new LmdbStore(folder, RESERVE, { clock: fakeClock(), logger: fakeLogger() });
  await store.open(access);
  return store;
}

async function dumped(store: Store): Promise<DumpItem[]> {
  const items: DumpItem[] = [];
  for await (const item of store.dump()) items.push(item);
  const keyOf = (item: DumpItem): string => (item.kind === 'run' ? item.run.run_id : '');
  return items.filter(({ kind }) => kind === 'record' || kind === 'run').sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Whatever is asked, of which the store could know. */
async function everything(store: Store) {
  const run_ids = (await store.runs({ limit: 10_000 })).rows.map(({ run_id }) => run_id);
  return {
    records: await verifiedChain(store),
    of_model: await store.records({ since_seq: 1, limit: 10_000, model_id: 'default' }),
    inventory: await store.records({ since_seq: 0, limit: 10_000, record_type: 'model_inventory' }),
    by_seq: await store.recordsBySeq([3, 1, 2]),
    rows: (await store.runs({ limit: 10_000 })).rows,
    running: (await store.runs({ limit: 10_000, status: ['running'] })).rows,
    first: await store.runs({ limit: 2 }),
    statuses: await store.statuses(run_ids),
    counts: await store.countRuns(),
    head: await store.head(),
    dump: await dumped(store),
  };
}

/** Runs that ended, one that was only started, and one that goes on after a pause. */
async function work(store: Store): Promise<void> {
  for (let n = 0; n < 5; n += 1) {
    const run = sampleRun({ status: 'running', created_at: new Date(Date.UTC(2026, 1, 1) + n).toISOString() });
    await store.commit([createRun(run)], []);
    const content = { name: 'payload', bytes: new Uint8Array(1), expires_at: null };
    if (n === 2) await store.commit([moveRun(run, 'paused', { put_content: [content] })], []);
    else if (n < 4) await commitSealed(store, [moveRun(run, n === 3 ? 'error' : 'completed')]);
  }
}

/** A folder on which a process worked that was killed, and what it would have answered. */
async function killed(name: string) {
  const [folder, served] = [join(root, name), join(root, `${name}-served`)];
  const store = await opened(served);
  await work(store);
  const answers = await everything(store);
  const copy = await openStore(folder);
  await copy.close();
  copyFiles(served, folder);
  return { folder, served, store, answers };
}

test('every reader and the next process find the content of the log, however often that process is killed', async () => {
  const { folder, store, answers } = await killed('db');
  await store.close();
  const bytes = readFileSync(join(folder, 'data.mdb'));
  for (const access of ['read', 'read', 'serve', 'serve'] as const) {
    const again = await opened(folder, access);
    expect(await everything(again)).toEqual(answers);
    await again.close();
    // Whoever was killed before LMDB had it finds the same once more.
    if (access === 'read') expect(readFileSync(join(folder, 'data.mdb')).equals(bytes)).toBe(true);
  }
});

test('a data file that is older than its log is completed from it, even if it has a part of it', async () => {
  const { folder, served, store } = await killed('db');
  await commitSealed(store, [createRun(sampleRun({ status: 'blocked' }))]);
  const answers = await everything(store);
  // Of this moment; the data file of the one before.
  copyFileSync(join(served, 'commits.log'), join(folder, 'commits.log'));
  await store.close();
  const again = await opened(folder);
  expect(await everything(again)).toEqual(answers);
  await again.close();
});

test('the log restarts from its beginning, and runs in progress are still found', async () => {
  const folder = join(root, 'db');
  const store = await opened(folder);
  const started = Array.from({ length: 3 }, () => sampleRun({ status: 'running' }));
  await store.commit(
    started.map((run) => createRun(run)),
    [],
  );
  for (let n = 0; n < 100; n += 1) await commitSealed(store, [createRun(sampleRun({ status: 'completed' }))]);
  expect(readFileSync(join(folder, 'commits.log'))).toHaveLength(RESERVE / 16);
  const [one, ...others] = started;
  if (one === undefined) throw new Error('none was started');
  await commitSealed(store, [moveRun(one, 'completed')]);
  const answers = await everything(store);
  expect(answers.running.map(({ run_id }) => run_id).sort()).toEqual(others.map(({ run_id }) => run_id).sort());
  expect(answers.records).toHaveLength(101);
  const copy = join(root, 'copy');
  await (await openStore(copy)).close();
  copyFiles(folder, copy);
  await store.close();
  for (const place of [copy, folder]) {
    const again = await opened(place);
    expect(await everything(again)).toEqual(answers);
    await again.close();
  }
});

test('a commit that is larger than the log is written beside it', async () => {
  const store = await opened(join(root, 'db'));
  await work(store);
  const events = Array.from({ length: 2000 }, (_, seq) => ({ seq, type: 'state', at: '2026-01-01T00:00:00.000Z', data: {} }));
  const run = sampleRun({ status: 'error', events: events as never });
  await commitSealed(store, [createRun(run)]);
  expect(await store.run(run.run_id)).toMatchObject({ status: 'error' });
  const answers = await everything(store);
  expect(answers.records).toHaveLength(4);
  await store.close();
  const again = await opened(join(root, 'db'));
  expect(await everything(again)).toEqual(answers);
  await again.close();
});

const NOT_ITS: [string, (folder: string) => Promise<void> | void][] = [
  ['is missing', (folder) => rmSync(join(folder, 'commits.log'))],
  ['is empty', (folder) => truncateSync(join(folder, 'commits.log'), 0)],
  ['was cut before what the data file has', (folder) => truncateSync(join(folder, 'commits.log'), 4096)],
  [
    'is of another folder',
    async (folder) => {
      const other = await killed('other');
      copyFileSync(join(other.folder, 'commits.log'), join(folder, 'commits.log'));
      await other.store.close();
    },
  ],
  [
    'is damaged before its last frame',
    (folder) => {
      const log = readFileSync(join(folder, 'commits.log'));
      log[100] = (log[100] ?? 0) ^ 1;
      writeFileSync(join(folder, 'commits.log'), log);
    },
  ],
];
test.each(NOT_ITS)('a folder of a killed process whose log %s is refused, and left unchanged', async (_, change) => {
  const { folder, store } = await killed('db');
  await store.close();
  await change(folder);
  const bytes = readFileSync(join(folder, 'data.mdb'));
  for (const access of ['read', 'serve'] as const)
    await expect(opened(folder, access)).rejects.toMatchObject({ code: 'DAMAGED', message: expect.stringContaining(folder) });
  expect(readFileSync(join(folder, 'data.mdb')).equals(bytes)).toBe(true);
});

test('a data file from before the log restarted is refused', async () => {
  const { folder, served, store } = await killed('db');
  for (let n = 0; n < 30; n += 1) await commitSealed(store, [createRun(sampleRun({ status: 'completed' }))]);
  copyFileSync(join(served, 'commits.log'), join(folder, 'commits.log'));
  await store.close();
  await expect(opened(folder)).rejects.toMatchObject({ code: 'DAMAGED' });
});

test('after a normal shutdown the data file has everything, with or without the log', async () => {
  const folder = join(root, 'db');
  const store = await opened(folder);
  await work(store);
  const answers = await everything(store);
  await store.close();
  rmSync(join(folder, 'commits.log'));
  const again = await opened(folder);
  expect(await everything(again)).toEqual(answers);
  await again.close();
});

test('a copy made under load has every run acknowledged before, ended or in progress', async () => {
  const folder = join(root, 'db');
  const store = await opened(folder);
  const [ended, under_way] = [new Set<string>(), new Set<string>()];
  let on = true;
  const clients = Array.from({ length: 4 }, async () => {
    while (on) {
      const run = sampleRun({ status: 'running' });
      await store.commit([createRun(run)], []);
      under_way.add(run.run_id);
      await commitSealed(store, [moveRun(run, 'completed')]);
      ended.add(run.run_id);
    }
  });
  for (let n = 0; n < COPIES; n += 1) {
    const copy = join(root, `copy-${n}`);
    const [done, begun] = [[...ended], [...under_way]];
    await store.backup(copy, () => {});
    const restored = await opened(copy);
    const statuses = await restored.statuses(begun);
    expect(done.filter((run_id) => statuses.get(run_id) !== 'completed')).toEqual([]);
    expect(begun.filter((run_id) => !statuses.has(run_id))).toEqual([]);
    const { completed, running } = await restored.countRuns();
    expect(await verifiedChain(restored)).toHaveLength(completed);
    expect((await restored.runs({ limit: 10_000, status: ['running'] })).rows).toHaveLength(running);
    await restored.close();
  }
  on = false;
  await Promise.all(clients);
  await store.close();
});
