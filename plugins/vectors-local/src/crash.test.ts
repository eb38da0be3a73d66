import { mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeLogger, fakeLogger } from '@svc/sdk/testing';
import type { NewVector } from '@svc/sdk/vectors';
import { expect, it, onTestFinished } from 'vitest';
import { LocalVectors } from './local-vectors.ts';

const MADE_BY = { model: 'test-model', dimensions: 2 };
const NEVER = new AbortController().signal;
const doc = (id: string): NewVector => ({
  document: { id, text: `text of ${id}`, metadata: {} },
  vector: Float32Array.from([1, id.length]),
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-vectors-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function opened(folder: string, logger: FakeLogger = fakeLogger()): Promise<LocalVectors> {
  const vectors = new LocalVectors(logger);
  onTestFinished(() => vectors.close());
  await vectors.open({ folder, ...MADE_BY });
  return vectors;
}

async function idsIn(vectors: LocalVectors, collection = 'svc-a'): Promise<string[]> {
  const found = await vectors.query(collection, Float32Array.from([1, 1]), 100, {}, NEVER);
  return found.map(({ document }) => document.id).sort();
}

/** A closed collection of two batches: its folder, its file, and the file's length before the second batch. */
async function twoBatches(): Promise<{ folder: string; path: string; whole: Buffer; first: number }> {
  const folder = temporaryFolder();
  const vectors = await opened(folder);
  await vectors.upsert('svc-a', [doc('a'), doc('bb')]);
  const path = join(folder, 'svc-a.vectors');
  const first = (await readFile(path)).length;
  await vectors.upsert('svc-a', [doc('ccc'), doc('dddd')]);
  await vectors.close();
  return { folder, path, whole: await readFile(path), first };
}

it('an append that was cut short at any point is removed completely, and later appends are kept', async () => {
  const { folder, path, whole, first } = await twoBatches();
  for (let length = first; length < whole.length; length += 1) {
    await writeFile(path, whole.subarray(0, length));
    const vectors = await opened(folder);
    expect(await idsIn(vectors)).toEqual(['a', 'bb']);
    await vectors.upsert('svc-a', [doc('eeeee')]);
    await vectors.close();
    const again = await opened(folder);
    expect(await idsIn(again)).toEqual(['a', 'bb', 'eeeee']);
    await again.close();
  }
});

it('a file that grew before its bytes were written is truncated', async () => {
  const { folder, path, whole, first } = await twoBatches();
  await writeFile(path, Buffer.concat([whole.subarray(0, first), Buffer.alloc(5000)]));
  const logger = fakeLogger();
  expect(await idsIn(await opened(folder, logger))).toEqual(['a', 'bb']);
  expect(JSON.stringify(logger.lines)).toContain('vectors_cut');
});

it('a changed byte in earlier content is refused, at any place', async () => {
  const { folder, path, whole, first } = await twoBatches();
  for (let at = 0; at < first; at += 1) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    await writeFile(path, bytes);
    await expect(opened(folder), `byte ${at}`).rejects.toMatchObject({ name: 'StoreError', code: 'OPEN' });
  }
});

it('a collection whose creation was cut short does not exist', async () => {
  const { folder, path, whole } = await twoBatches();
  await writeFile(path.replace('svc-a', 'svc-b').concat('.new'), whole.subarray(0, 20));
  const vectors = await opened(folder);
  expect(await idsIn(vectors, 'svc-b')).toEqual([]);
  await vectors.upsert('svc-b', [doc('a')]);
  expect((await readdir(folder)).sort()).toEqual(['svc-a.vectors', 'svc-b.vectors']);
});

it('needs a folder', async () => {
  await expect(new LocalVectors(fakeLogger()).open({ folder: null, ...MADE_BY })).rejects.toMatchObject({ code: 'OPEN' });
});

it('no byte of a removed document remains, and a document that was rewritten before a crash is whole', async () => {
  const { folder, path } = await twoBatches();
  // A file that an interrupted removal left behind is not a collection.
  await writeFile(`${path}.new`, 'text of bb');
  const vectors = await opened(folder);
  const searching = Promise.all(Array.from({ length: 5 }, () => idsIn(vectors)));
  expect(await vectors.remove('svc-a', ['bb'])).toBe(1);
  expect(await searching).toEqual(Array.from({ length: 5 }, () => ['a', 'bb', 'ccc', 'dddd']));
  expect(await readdir(folder)).toEqual(['svc-a.vectors']);
  expect(await readFile(path, 'latin1')).not.toContain('text of bb');
  await vectors.upsert('svc-a', [doc('eeeee')]);
  // Simulates a killed process: nothing is closed.
  expect(await idsIn(await opened(folder))).toEqual(['a', 'ccc', 'dddd', 'eeeee']);
});

it('a removal that fails half-way changes nothing, and nothing is written after it', async () => {
  const { folder, path } = await twoBatches();
  const vectors = await opened(folder);
  // A folder that blocks the new file.
  await mkdir(`${path}.new`);
  await expect(vectors.remove('svc-a', ['bb'])).rejects.toMatchObject({ name: 'StoreError' });
  expect(await idsIn(vectors)).toEqual(['a', 'bb', 'ccc', 'dddd']);
  await expect(vectors.upsert('svc-a', [doc('eeeee')])).rejects.toMatchObject({ code: 'STOPPED' });
  await vectors.close();
  expect(await idsIn(await opened(folder))).toEqual(['a', 'bb', 'ccc', 'dddd']);
});

it.each<[string, (path: string) => Promise<void>]>([
  ['removed', (path) => rm(path)],
  ['moved away', (path) => rename(path, `${path}.old`)],
  ['cut', (path) => truncate(path, 10)],
  [
    'replaced',
    async (path) => {
      await cp(path, `${path}.copy`);
      await rename(`${path}.copy`, path);
    },
  ],
])('nothing is appended to a file that was %s', async (_how, harm) => {
  const folder = temporaryFolder();
  const vectors = await opened(folder);
  await vectors.upsert('svc-a', [doc('a')]);
  await harm(join(folder, 'svc-a.vectors'));
  const refused = { name: 'StoreError', code: 'STOPPED' };
  await expect(vectors.upsert('svc-a', [doc('bb')])).rejects.toMatchObject(refused);
  await expect(vectors.upsert('svc-a', [doc('bb')])).rejects.toMatchObject(refused);
});
