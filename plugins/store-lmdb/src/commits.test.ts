import { commitSealed, createRun, moveRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { openStore, temporaryFolder } from './test-store.ts';

test('a record that another writer added meanwhile stays, and the commit with the same seq is not written', async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const store = await openStore(folder);
  const raw = open<string, string>({ path: folder, noSubdir: false, encoding: 'string', overlappingSync: false });
  const ledger = raw.openDB<string, number>('ledger', { encoding: 'string' });
  const theirs = 'run_evidence\nsha256:b\n{}';
  const run = sampleRun();
  ledger.putSync(1, theirs);
  await expect(commitSealed(store, [createRun(run)])).rejects.toMatchObject({ code: 'CHAIN' });
  expect(ledger.get(1)).toBe(theirs);
  expect(await store.run(run.run_id)).toBeNull();
  await raw.close();
  await store.close();
});

test('commits with and without a unique key, begun at once, are decided one after another', async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const store = await openStore(folder);
  const runs = Array.from({ length: 60 }, () => sampleRun());
  const extras = (i: number) => (i % 3 === 0 ? { unique_key: 'only one' } : {});
  const commits = runs.map((run, i) => commitSealed(store, [createRun(run, extras(i))]));
  const outcomes = (await Promise.all(commits)).flat().map(({ result }) => result);
  // Every third asks for the same key: the first of them has it.
  expect(outcomes.filter((result) => result === 'duplicate')).toHaveLength(19);
  expect(await verifiedChain(store)).toHaveLength(41);
  const counts = Object.values(await store.countRuns());
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(41);
  await store.close();
});

test('a run that ended while its start was pending is not taken for running', async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const store = await openStore(folder);
  for (let n = 0; n < 20; n++) {
    const run = sampleRun({ status: 'running' });
    const begun = store.commit([createRun(run)], []);
    const ended = commitSealed(store, [moveRun(run, 'completed')]);
    expect((await Promise.all([begun, ended])).flat().map(({ result }) => result)).toEqual(['committed', 'committed']);
    const [again] = await commitSealed(store, [moveRun(run, 'error')]);
    expect(again).toMatchObject({ result: 'conflict' });
  }
  await store.close();
});

test('a load does not overwrite commits made while its items arrive', async () => {
  const [from, to] = [temporaryFolder(), temporaryFolder()];
  onTestFinished(from.remove);
  onTestFinished(to.remove);
  const [source, store] = [await openStore(from.folder), await openStore(to.folder)];
  await commitSealed(source, [createRun(sampleRun())]);
  async function* items() {
    await commitSealed(store, [createRun(sampleRun())]);
    yield* source.dump();
  }
  await expect(store.load(items())).rejects.toMatchObject({ code: 'CHAIN' });
  await source.close();
  await store.close();
});
