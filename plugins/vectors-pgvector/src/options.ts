import { type Static, Type } from 'typebox';

export const PgVectorOptions = Type.Object(
  {
    url: Type.String({
      pattern: '^postgres(ql)?://',
      writeOnly: true,
      description: 'Connection URL. The password can come from PGPASSWORD or ~/.pgpass instead.',
    }),
    connections: Type.Integer({
      default: 4,
      minimum: 1,
      maximum: 1000,
      description: 'Maximum number of connections per process.',
    }),
    index: Type.Enum(['none', 'hnsw'], {
      default: 'none',
      description:
        '`none`: every query scans its whole collection and is exact. `hnsw`: an index per collection, for hundreds of thousands of documents and more. It may miss some of the nearest.',
    }),
  },
  { additionalProperties: false },
);
export type PgVectorOptions = Static<typeof PgVectorOptions>;
