import { type Static, Type } from 'typebox';

export const PgVectorOptions = Type.Object(
  {
    url: Type.String({
      pattern: '^postgres(ql)?://',
      writeOnly: true,
      description: 'Connection URL. The password can come from PGPASSWORD or ~/.pgpass instead.',
    }),
    connections: Type.Integer({ default: 4, minimum: 1, maximum: 1000, description: 'Most connections, each process.' }),
    index: Type.Enum(['none', 'hnsw'], {
      default: 'none',
      description:
        '`none`: every query looks at all of its collection and is exact. `hnsw`: an index for each collection, for hundreds of thousands of documents and more; it may miss some.',
    }),
  },
  { additionalProperties: false },
);
export type PgVectorOptions = Static<typeof PgVectorOptions>;
