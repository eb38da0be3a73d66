import { exporterConformance, fakePluginDeps } from '@svc/sdk/testing';
import { notedExporter } from '@svc/toolkit/testing';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { Collector, type Received } from './collector-fixture.ts';
import { Options } from './options.ts';
import { SyslogExporter } from './syslog-exporter.ts';

describe.each(['json', 'cef', 'ocsf'] as const)('exporter conformance, %s', (format) => {
  const cases = exporterConformance({
    open: async () => {
      const collector = await new Collector().listen();
      const given = { host: '127.0.0.1', port: collector.port, transport: 'tcp', format, operations: true };
      const options = Value.Decode(Options, Value.Default(Options, given));
      // Messages in cef and ocsf have the hash of a record only.
      const bytes = new Map<string, string>();
      const received = (isWanted: (one: Received) => boolean) =>
        collector.once(isWanted).map(({ text, parameters: { hash = '' } }) => (format === 'json' ? text : bytes.get(hash)) ?? '');
      const isOperation = ({ parameters: { ledger } }: Received) => ledger?.endsWith('/operations') === true;
      return {
        make: () => notedExporter(new SyslogExporter(options, fakePluginDeps()), bytes),
        received: async () => received((one) => !isOperation(one)),
        receivedOperations: async () => received(isOperation),
        refuse: async (refusing) => {
          collector.manner = refusing ? 'resets' : 'stores';
        },
        dispose: async () => {
          expect(collector.malformed).toEqual([]);
          await collector.close();
        },
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});
