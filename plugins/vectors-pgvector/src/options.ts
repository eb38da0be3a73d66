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
        '`none`: every query scans its whole collection and is exact. `hnsw`: one index per collection, for hundreds of thousands of documents or more; a query may miss some of the nearest documents.',
    }),
  },
  { additionalProperties: false },
);
export type PgVectorOptions = Static<typeof PgVectorOptions>;
