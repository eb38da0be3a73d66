import { resolve } from 'node:path';
import { defineExporter } from '@svc/sdk';
import { Type } from 'typebox';
import { JsonlExporter } from './jsonl-exporter.ts';

/** Exporter: every ledger record as a line of a file, exactly as it was sealed. */
export default defineExporter({
  type: 'jsonl',
  options: Type.Object(
    {
      path: Type.String({
        minLength: 1,
        description: 'The file, made if it is not there; the newest checkpoint is kept beside it.',
      }),
    },
    { additionalProperties: false },
  ),
  create: ({ path }, deps) => new JsonlExporter(resolve(deps.directory, path)),
});
