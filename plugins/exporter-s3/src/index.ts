import { defineExporter } from '@svc/sdk';
import { Options } from './options.ts';
import { S3Exporter } from './s3-exporter.ts';

/** Exporter: writes every ledger record to an S3-compatible bucket. See README.md. */
export default defineExporter({
  type: 's3',
  options: Options,
  create: (options, deps) => new S3Exporter(options, deps),
});
