import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeLogger } from '@svc/sdk/testing';
import { expect, it, onTestFinished } from 'vitest';
import { LocalVectors } from './local-vectors.ts';

const doc = (id: string, text: string) => ({ document: { id, text, metadata: {} }, vector: Float32Array.of(1, 0) });

it('a document that was replaced is in the file until the next start, and no longer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-vectors-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const bytes = () => readFile(join(folder, 'svc-n.vectors'), 'utf8');
  const open = async () => {
    const vectors = new LocalVectors(fakeLogger());
    await vectors.open({ folder, model: 'm', dimensions: 2 });
    return vectors;
  };
  let vectors = await open();
  await vectors.upsert('svc-n', [doc('a', 'the first text'), doc('b', 'another text')]);
  await vectors.upsert('svc-n', [doc('a', 'the second text')]);
  expect(await bytes()).toContain('the first text');
  for (let start = 0; start < 2; start += 1) {
    await vectors.close();
    vectors = await open();
    expect(await bytes()).not.toContain('the first text');
    const found = await vectors.query('svc-n', Float32Array.of(1, 0), 9, {}, new AbortController().signal);
    expect(found.map(({ document }) => document.text).sort()).toEqual(['another text', 'the second text']);
  }
  await vectors.close();
});
