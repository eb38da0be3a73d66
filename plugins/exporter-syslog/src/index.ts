import { defineExporter } from '@svc/sdk';
import { Options } from './options.ts';
import { SyslogExporter } from './syslog-exporter.ts';

/** Exporter: sends every ledger record to a syslog server over TLS or TCP. See README.md. */
export default defineExporter({
  type: 'syslog',
  options: Options,
  create: (options, deps) => new SyslogExporter(options, deps),
});
