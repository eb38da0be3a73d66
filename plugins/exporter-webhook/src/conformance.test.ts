import { exporterConformance, fakeClock, fakePluginDeps } from '@svc/sdk/testing';
import { describe, it } from 'vitest';
import { SECRET, Sink, takes } from './sink-fixture.ts';
import { WebhookExporter } from './webhook-exporter.ts';

describe.each([1, 7, 256])('exporter conformance, %i records a request', (batch) => {
  const cases = exporterConformance({
    open: async () => {
      const sink = await new Sink().listen();
      const options = { url: sink.url, secret: SECRET, allow_private: true, timeout_ms: 10_000, batch, operations: true };
      return {
        make: () => new WebhookExporter(options, fakePluginDeps({ clock: fakeClock(Date.now()) })),
        received: async () => sink.kept,
        receivedOperations: async () => sink.operations,
        refuse: async (refusing) => {
          sink.manner = refusing ? (response) => !response.writeHead(500).end() : takes;
        },
        dispose: () => sink.close(),
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});
