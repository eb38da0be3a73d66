import { fakeLogger, vectorsConformance } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { PgVectors } from './pg-vectors.ts';
import { PgvectorServer } from './pgvector-server.ts';

let server: PgvectorServer;
beforeAll(async () => {
  server = await PgvectorServer.start();
});
afterAll(() => server.stop());

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
