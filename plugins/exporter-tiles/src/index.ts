import { resolve } from 'node:path';
import { defineExporter } from '@svc/sdk';
import { Type } from 'typebox';
import { TilesExporter } from './tiles-exporter.ts';

/** Exporter: keeps the tree of the ledger as a folder of static files, https://c2sp.org/tlog-tiles. */
export default defineExporter({
  type: 'tiles',
  options: Type.Object(
    {
      path: Type.String({
        minLength: 1,
        description: 'The folder; created if missing. It contains hashes of records, no content.',
      }),
      operations: Type.Boolean({
        default: false,
        description: 'Whether the operations log is also written, to the same path with `.operations`.',
      }),
    },
    { additionalProperties: false },
  ),
  create({ path, operations }, deps) {
    const folder = resolve(deps.directory, path);
    return new TilesExporter(folder, operations ? new TilesExporter(`${folder}.operations`) : undefined);
  },
});
