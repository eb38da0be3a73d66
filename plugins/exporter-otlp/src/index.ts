import { defineExporter } from '@svc/sdk';
import { Options } from './options.ts';
import { OtlpExporter } from './otlp-exporter.ts';

/** Exporter: sends every ledger record to an OpenTelemetry collector as a log record. See README.md. */
export default defineExporter({
  type: 'otlp',
  options: Options,
  create: (options, deps) => new OtlpExporter(options, deps),
});
