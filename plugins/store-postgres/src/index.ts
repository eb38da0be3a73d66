import { defineStore } from '@svc/sdk/store';
import { Type } from 'typebox';
import { PostgresStore } from './postgres-store.ts';

const DEFAULT_CONNECTIONS = 8;

/** Store: runs, content, counters and the evidence ledger in one PostgreSQL database, for many gateway processes. */
export default defineStore({
  type: 'postgres',
  options: Type.Object(
    {
      url: Type.String({
        pattern: '^postgres(ql)?://',
        writeOnly: true,
        description: 'Connection URL. The password can come from PGPASSWORD or ~/.pgpass instead.',
      }),
      connections: Type.Optional(
        Type.Integer({
          minimum: 1,
          default: DEFAULT_CONNECTIONS,
          description: 'Maximum read connections per process; four more are used for writes.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  create: ({ url, connections }, deps) => new PostgresStore({ url, connections: connections ?? DEFAULT_CONNECTIONS }, deps),
});
