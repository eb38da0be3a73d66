import { cpSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitSealed, createRun, fakeLogger, sampleRun } from '@svc/sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openStore, temporaryFolder } from './test-store.ts';

/** Content is written to the data file at once, and not only to the log. */
const CONTENT = { name: 'answer', bytes: new Uint8Array(1), expires_at: null };

type Loss = readonly [
  string,
  (folder: string, copy: string, store: Awaited<ReturnType<typeof openStore>>) => Promise<void> | void,
];
const LOSSES: readonly Loss[] = [
  ['removed', (folder) => rmSync(join(folder, 'data.mdb'))],
  ['whole, but its log removed', (folder) => rmSync(join(folder, 'commits.log'))],
  ['whole, but its log renamed', (folder) => renameSync(join(folder, 'commits.log'), join(folder, 'away.log'))],
  ['whole, but its log cut', (folder) => truncateSync(join(folder, 'commits.log'), 1)],
  [
    'cut to two pages',
    async (folder, _copy, store) => {
      // By now, everything is in the file. A write in progress to a truncated file would crash the process.
      await commitSealed(store, [createRun(sampleRun(), { put_content: [CONTENT] })]);
      truncateSync(join(folder, 'data.mdb'), 8192);
    },
  ],
  ['removed with its folder', (folder) => rmSync(folder, { recursive: true })],
  ['renamed with its folder', (folder) => renameSync(folder, `${folder}-away`)],
  [
    'renamed with its folder, and another put in its place',
    (folder, copy) => {
      renameSync(folder, `${folder}-away`);
      cpSync(copy, folder, { recursive: true });
    },
  ],
  ['replaced by a copy', (folder, copy) => renameSync(join(copy, 'data.mdb'), join(folder, 'data.mdb'))],
  [
    'replaced by a copy of itself',
    (folder) => {
      cpSync(join(folder, 'data.mdb'), join(folder, 'other.mdb'));
      renameSync(join(folder, 'other.mdb'), join(folder, 'data.mdb'));
    },
  ],
];

async function served() {
  const { folder: root, remove } = temporaryFolder();
  onTestFinished(remove);
  const [folder, copy] = [join(root, 'runs-db'), join(root, 'copy')];
  const logger = fakeLogger();
  const store = await openStore(folder, undefined, logger);
  await commitSealed(store, [createRun(sampleRun())]);
  await store.backup(copy, () => {});
  await commitSealed(store, [createRun(sampleRun())]);
  return { folder, copy, lines: logger.lines, store };
}

test.each(LOSSES)('a data file that was %s: nothing is written, read or acknowledged from then on', async (_, lose) => {
  const { folder, copy, lines, store } = await served();
  const stopped = { code: 'STOPPED', message: expect.stringContaining(folder) };
  await lose(folder, copy, store);
  await expect(commitSealed(store, [createRun(sampleRun())])).rejects.toMatchObject(stopped);
  await expect(store.head()).rejects.toMatchObject(stopped);
  await expect(store.run('any')).rejects.toMatchObject(stopped);
  await expect(store.writeMeta('key', null, 'value')).rejects.toMatchObject(stopped);
  await expect(store.commit([], [])).rejects.toMatchObject(stopped);
  await store.close();
  expect(lines.filter(({ fields }) => 'event' in fields && fields.event === 'store_gone')).toHaveLength(1);
});

test('restoring it does not help: writes in between are unknown', async () => {
  const { folder, store } = await served();
  renameSync(folder, `${folder}-away`);
  await expect(store.head()).rejects.toMatchObject({ code: 'STOPPED' });
  renameSync(`${folder}-away`, folder);
  await expect(store.head()).rejects.toMatchObject({ code: 'STOPPED' });
  await store.close();
  await store.open();
  expect(await store.head()).toMatchObject({ seq: 2 });
  await store.close();
});

test('a write during which it goes away is not acknowledged', async () => {
  const { folder, store } = await served();
  const written = commitSealed(store, [createRun(sampleRun())]);
  // By now, the write was admitted but is not on disk yet.
  rmSync(join(folder, 'data.mdb'));
  await expect(written).rejects.toMatchObject({ code: 'STOPPED' });
  await store.close();
});

test('an older copy that is written over the open file is not used', async () => {
  const { folder, copy, store } = await served();
  // Written to that file, and not only to the log.
  await commitSealed(store, [createRun(sampleRun(), { put_content: [CONTENT] })]);
  const older = readFileSync(join(copy, 'data.mdb'));
  // The file is not truncated first, because reading a truncated file crashes the process.
  writeFileSync(join(folder, 'data.mdb'), older, { flag: 'r+' });
  await expect(commitSealed(store, [createRun(sampleRun())])).rejects.toMatchObject({ code: 'STOPPED' });
  await expect(store.head()).rejects.toMatchObject({ code: 'STOPPED' });
  await store.close();
});
