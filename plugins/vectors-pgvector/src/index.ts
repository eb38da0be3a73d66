import { defineVectors } from '@svc/sdk/vectors';
import { PgVectorOptions } from './options.ts';
import { PgVectors } from './pg-vectors.ts';

/** Vectors: documents and vectors in PostgreSQL with pgvector, for several gateways. See README.md. */
export default defineVectors({
  type: 'pgvector',
  options: PgVectorOptions,
  create: (options, { logger }) => new PgVectors(options, logger),
});
