import { fakeLogger } from '@svc/sdk/testing';
import { expect, inject, it } from 'vitest';
import { PgVectors } from './pg-vectors.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL server, which has no pgvector. */
    readonly postgres: string;
  }
}

it('a database without the extension is refused, with the remedy', async () => {
  const vectors = new PgVectors({ url: inject('postgres'), connections: 1, index: 'none' }, fakeLogger());
  await expect(vectors.open({ folder: null, model: 'test-model', dimensions: 3 })).rejects.toMatchObject({
    code: 'OPEN',
    message: expect.stringContaining('CREATE EXTENSION'),
  });
  await vectors.close();
});
