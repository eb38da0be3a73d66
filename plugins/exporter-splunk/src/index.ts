import { defineExporter } from '@svc/sdk';
import { Options } from './options.ts';
import { SplunkExporter } from './splunk-exporter.ts';

/** Exporter: sends every ledger record to an HTTP Event Collector of Splunk. See README.md. */
export default defineExporter({
  type: 'splunk',
  options: Options,
  create: (options, deps) => new SplunkExporter(options, deps),
});
