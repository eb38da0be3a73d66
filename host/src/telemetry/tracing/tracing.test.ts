import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Attributes, Tracer } from '@opentelemetry/api';
import type { CallReport, RunReport } from '@svc/kernel/observing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { recordRun } from './run-spans.ts';
import { Tracing } from './tracing.ts';

const REPORT: RunReport = {
  run_id: 'run-1',
  route: 'default',
  caller: { principal_id: 'alice', team: null, key_id: null, session: 's-1', client: 'claude-cli', user: null },
  status: 'completed',
  streamed: false,
  started_at: 1_700_000_000_000,
  duration_ms: 1,
  reader_ms: 0,
  calls: [],
  nodes: [],
  micro_usd: null,
  traceparent: null,
};

let collector: Server;
beforeEach(async () => {
  collector = createServer().listen(0, '127.0.0.1');
  await once(collector, 'listening');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  collector.closeAllConnections();
  await new Promise((closed) => collector.close(closed));
});

test('sends spans as configured, whatever the environment variables say', async () => {
  const environment = {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-everyone=1,x-tenant=other',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-traces=1',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
  const traces = { endpoint, headers: { 'x-tenant': 'ours' }, sample_ratio: 1 };
  const tracing = new Tracing(traces, (type) => ({ type, server: null }), { directory: '.', logger: silentLogger });
  const asked = once(collector, 'request');
  tracing.settled(REPORT);
  const [{ headers }, response] = (await asked) as [IncomingMessage, ServerResponse];
  response.end();
  await tracing.close();
  expect(headers).toMatchObject({ 'x-tenant': 'ours', 'content-type': 'application/x-protobuf' });
  expect(headers).not.toHaveProperty('x-everyone');
  expect(headers).not.toHaveProperty('x-traces');
  expect(headers).not.toHaveProperty('content-encoding');
  // Any variable may contain secrets of the configuration.
  expect(process.env).toMatchObject(environment);
});

test('reports only the known parameters of a request', () => {
  const attributes: Attributes = {};
  const tracer = {
    startSpan: (_: string, options: { attributes: Attributes }) => {
      Object.assign(attributes, options.attributes);
      return { isRecording: () => true, setStatus: () => undefined, end: () => undefined };
    },
  } as unknown as Tracer;
  const request = { answers: 1, max_output_tokens: null, wantsJson: false, seed: 7, reasoning_level: 'high', prompt: 'PRIVATE' };
  const call = { request, response: { id: null, model: null }, usage: null, outcome: 'answered' } as unknown as CallReport;
  recordRun(tracer, { ...REPORT, calls: [call] }, (type) => ({ type, server: null }));
  expect(attributes).toMatchObject({ 'gen_ai.request.seed': 7, 'gen_ai.request.reasoning.level': 'high' });
  expect(JSON.stringify(attributes)).not.toContain('PRIVATE');
});
