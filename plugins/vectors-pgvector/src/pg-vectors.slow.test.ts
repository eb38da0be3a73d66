import { StoreError } from '@svc/sdk/store';
import { fakeLogger, vectorsConformance } from '@svc/sdk/testing';
import type { NewVector } from '@svc/sdk/vectors';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PgVectors } from './pg-vectors.ts';
import { PgvectorServer } from './pgvector-server.ts';

const STORAGE = { folder: null, model: 'test-model', dimensions: 3 };
const NEVER = new AbortController().signal;

let server: PgvectorServer;
beforeAll(async () => {
  server = await PgvectorServer.start();
});
afterAll(() => server.stop());

async function opened(index: 'none' | 'hnsw', storage = STORAGE): Promise<PgVectors> {
  const vectors = new PgVectors({ url: server.url, connections: 2, index }, fakeLogger());
  onTestFinished(async () => {
    await vectors.close();
    await server.empty();
  });
  await vectors.open(storage);
  return vectors;
}

const doc = (id: string, vector: number[]): NewVector => ({
  document: { id, text: 'a text that must not show', metadata: {} },
  vector: Float32Array.from(vector),
});

it('an index belongs to a single collection', async () => {
  const vectors = await opened('hnsw');
  await vectors.upsert('svc-a', [doc('1', [1, 0, 0])]);
  const indexes = await server.sql("SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'svc_rag_hnsw_%'");
  expect(JSON.stringify(indexes)).toContain("'svc-a'");
});

it('two gateways that write the same documents at once write them once', async () => {
  const [a, b] = [await opened('none'), await opened('none')];
  const documents = Array.from({ length: 20 }, (_, n) => doc(`d${n}`, [1, n, 0]));
  const added = await Promise.all([a.upsert('svc-a', documents), b.upsert('svc-a', documents.toReversed())]);
  expect(added[0] + added[1]).toBe(20);
  expect(await a.query('svc-a', Float32Array.from([1, 0, 0]), 100, {}, NEVER)).toHaveLength(20);
});

it('a gateway with another embedder that was started before there were documents is refused when it writes', async () => {
  const [a, b] = [await opened('none'), await opened('none', { ...STORAGE, model: 'other-model' })];
  await a.upsert('svc-a', [doc('1', [1, 0, 0])]);
  await expect(b.upsert('svc-a', [doc('2', [1, 0, 0])])).rejects.toMatchObject({ name: 'StoreError', code: 'SCHEMA' });
});

it('errors of the database contain nothing of the sent text', async () => {
  const vectors = await opened('none');
  const failed = vectors.upsert('svc-a', [doc('1', [1, Number.NaN, 0])]);
  const error: unknown = await failed.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('must not show');
});

it('more dimensions than an index accepts are refused at the start', async () => {
  const vectors = new PgVectors({ url: server.url, connections: 1, index: 'hnsw' }, fakeLogger());
  await expect(vectors.open({ ...STORAGE, dimensions: 4001 })).rejects.toMatchObject({ code: 'OPEN' });
});

describe.each(['none', 'hnsw'] as const)('vectors conformance, index: %s', (index) => {
  const cases = vectorsConformance({
    approximate: index === 'hnsw',
    open: async () => ({
      make: () => new PgVectors({ url: server.url, connections: 4, index }, fakeLogger()),
      folder: null,
      dispose: () => server.empty(),
    }),
  });
  for (const { name, run } of cases) it(name, run);
});
