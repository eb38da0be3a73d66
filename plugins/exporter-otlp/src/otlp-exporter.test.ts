import type { Exporter, ExportRecord } from '@svc/sdk';
import { exporterConformance, fakeClock, fakePluginDeps } from '@svc/sdk/testing';
import { notedExporter } from '@svc/toolkit/testing';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import plugin from './index.ts';
import { Options } from './options.ts';
import { OtlpDouble, type ReceivedLog, type Refusal } from './otlp-fixture.ts';

const NEVER = new AbortController().signal;
const NOW = Date.parse('2026-01-05T10:00:00Z');

const made = (given: object): Exporter =>
  plugin.create(Value.Decode(Options, Value.Default(Options, given)), fakePluginDeps({ clock: fakeClock(NOW) }));

describe.each(['json', 'ocsf', 'cef'] as const)('exporter conformance, %s', (format) => {
  const cases = exporterConformance({
    open: async () => {
      const collector = await new OtlpDouble().listen();
      // Log records in cef and ocsf have the hash of a record only.
      const bytes = new Map<string, string>();
      const received = (isWanted: (one: ReceivedLog) => boolean) =>
        collector
          .once(isWanted)
          .map(({ body, attributes }) => String(format === 'json' ? body : bytes.get(String(attributes['svc.ledger.hash']))));
      const isOperation = ({ attributes }: ReceivedLog) => String(attributes['svc.ledger.id']).endsWith('/operations');
      return {
        make: () => notedExporter(made({ url: collector.url, operations: true, format }), bytes),
        received: async () => received((one) => !isOperation(one)),
        receivedOperations: async () => received(isOperation),
        refuse: async (refusing) => {
          collector.refusal = refusing ? { status: 503 } : null;
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

const record = (fields: object): ExportRecord => {
  const hash = `sha256:${'1'.padStart(64, '0')}`;
  const bytes = JSON.stringify({
    completed_at: '2026-01-05T09:00:00.123Z',
    hash,
    record_type: 'run_evidence',
    seq: 1,
    ...fields,
  });
  return { seq: 1, hash, bytes };
};

let collector: OtlpDouble;
beforeEach(async () => {
  collector = await new OtlpDouble().listen();
});
afterEach(() => collector.close());

async function opened(more: object = {}): Promise<Exporter> {
  const exporter = made({ url: collector.url, ...more });
  await exporter.open({ ledgerId: 'ledger-1', cursor: 0, signal: NEVER });
  return exporter;
}

it('sends a record as a log record of the data model', async () => {
  const events = [
    { event_type: 'provider_call', stage: 'execute', node: 'p', data: { provider: 'p', model: 'm-1', outcome: 'answered' } },
    { event_type: 'verdict', stage: 'ingress', node: 'policy', data: { verdict: 'block', code: 'wire', findings: [] } },
  ];
  const given = record({ status: 'blocked', run_id: 'r-1', model_id: 'default', principal_id: 'alice', events });
  await (await opened({ headers: { authorization: 'Bearer abc' } })).deliver([given], NEVER);
  expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer abc', 'content-type': 'application/x-protobuf' });
  expect(collector.logs).toEqual([
    expect.objectContaining({
      resource: { 'service.name': 'svc', 'service.version': expect.any(String) },
      scope: { name: 'svc.ledger', version: expect.any(String) },
      time_unix_nano: `${Date.parse('2026-01-05T09:00:00.123Z')}000000`,
      observed_time_unix_nano: `${NOW}000000`,
      severity_number: 13,
      event_name: 'svc.run.blocked',
      body: given.bytes,
      attributes: {
        'log.record.uid': given.hash,
        'svc.ledger.id': 'ledger-1',
        'svc.ledger.seq': 1,
        'svc.ledger.hash': given.hash,
        'svc.ledger.prev_hash': '',
        'svc.run.id': 'r-1',
        'svc.run.status': 'blocked',
        'svc.route': 'default',
        'enduser.id': 'alice',
        'gen_ai.provider.name': 'p',
        'gen_ai.request.model': 'm-1',
        'svc.guard': 'policy',
        'svc.verdict': 'block',
        'svc.code': 'wire',
      },
    }),
  ]);
});

it.each<[Refusal, object]>([
  [
    { status: 503, headers: { 'retry-after': '3' } },
    { code: 'HTTP_503', retry_after_ms: 3000 },
  ],
  [
    { status: 429, headers: { 'retry-after': '1' } },
    { code: 'HTTP_429', retry_after_ms: 1000 },
  ],
  [{ status: 400 }, { code: 'HTTP_400' }],
  [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, { code: 'HTTP_302' }],
  [{ rejected: 1 }, { code: 'PARTIALLY_REJECTED' }],
  [
    { page: '{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"SINK-TEXT"}}', type: 'application/json' },
    { code: 'PARTIALLY_REJECTED' },
  ],
  [{ page: '<p>SINK-TEXT</p>', type: 'text/html' }, { code: 'UNEXPECTED_RESPONSE' }],
  [{ page: 'SINK-TEXT', type: 'application/json' }, { code: 'UNEXPECTED_RESPONSE' }],
  [{ page: '<p>SINK-TEXT</p>', type: 'application/x-protobuf' }, { code: 'UNEXPECTED_RESPONSE' }],
])('fails with a code, and without the text of the collector: %j', async (refusal, failure) => {
  collector.refusal = refusal;
  const error = await (await opened()).deliver([record({})], NEVER).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject(failure);
  expect(JSON.stringify([error, String(error)])).not.toContain('SINK-TEXT');
  collector.refusal = null;
  expect(await (await opened()).deliver([record({})], NEVER)).toEqual({ through: 1 });
});

it.each<[string, string]>([
  ['', 'text/plain'],
  ['{}', 'application/json; charset=utf-8'],
  ['{"partialSuccess":{}}', 'application/json'],
])('accepts the response %j of the type %s', async (page, type) => {
  collector.refusal = { page, type };
  expect(await (await opened()).deliver([record({})], NEVER)).toEqual({ through: 1 });
});

it('refuses a header that cannot be sent, without showing its value', () => {
  expect(() => made({ url: 'https://c.example/v1/logs', headers: { 'x-key': 'abc\n' } })).toThrow(/^headers\.x-key: (?!.*abc)/);
  expect(() => made({ url: 'https://c.example/v1/logs', headers: { 'x key': 'abc' } })).toThrow(/^headers: (?!.*abc)/);
  const own = { 'Content-Type': 'abc' };
  expect(() => made({ url: 'https://c.example/v1/logs', headers: own })).toThrow(/^headers\.Content-Type: (?!.*abc)/);
});
