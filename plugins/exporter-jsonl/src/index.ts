import { resolve } from 'node:path';
import { defineExporter } from '@svc/sdk';
import { Type } from 'typebox';
import { JsonlExporter } from './jsonl-exporter.ts';

/** Exporter: appends every ledger record to a file as a line, byte for byte as stored. */
export default defineExporter({
  type: 'jsonl',
  options: Type.Object(
    {
      path: Type.String({
        minLength: 1,
        description: 'The file; created if missing. The newest checkpoint is written next to it.',
      }),
      operations: Type.Boolean({
        default: false,
        description:
          'Whether the operations log is also written, to the same path with `.operations`, with its own checkpoint file.',
      }),
    },
    { additionalProperties: false },
  ),
  create({ path, operations }, deps) {
    const file = resolve(deps.directory, path);
    return new JsonlExporter(file, operations ? new JsonlExporter(`${file}.operations`) : undefined);
  },
});
