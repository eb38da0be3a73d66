import { resolve } from 'node:path';
import { defineStore } from '@svc/sdk/store';
import { Type } from 'typebox';
import { LmdbStore } from './lmdb-store.ts';

/** Store: runs, content, counters and the evidence ledger in one LMDB folder, which one process opens. */
export default defineStore({
  type: 'lmdb',
  options: Type.Object(
    {
      path: Type.String({
        minLength: 1,
        description: 'Folder of the database; created if missing. Use a local disk, not a network file system.',
      }),
      min_free_bytes: Type.Optional(
        Type.Integer({
          minimum: 0,
          description:
            'Free disk space, in bytes, below which every write is refused, so that the disk never fills up completely. Default: 64 MiB, or a quarter of a disk smaller than 256 MiB.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  create: (options, deps) => new LmdbStore(resolve(deps.directory, options.path), options.min_free_bytes ?? null, deps),
});
