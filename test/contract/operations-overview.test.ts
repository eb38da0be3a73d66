import { afterAll, beforeAll, expect, test } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      limits: [
        { team: 'payments', requests_per_minute: 600 },
        { route: '*', concurrent: 20 },
      ],
      exporters: [
        { type: 'jsonl', name: 'second', path: 'second.jsonl' },
        { type: 'jsonl', name: 'archive', path: 'missing/archive.jsonl' },
      ],
    }),
    principals: [
      { principal_id: 'root', roles: ['admin'] },
      { principal_id: 'auditor', roles: ['audit'] },
      { principal_id: 'alice', roles: ['call'] },
    ],
  });
});
afterAll(() => gateway.dispose());

test('the active configuration has its limits, and the packages in use', async () => {
  const { status, body } = await gateway.get('/v1/operations/configuration', 'auditor');
  expect(status).toBe(200);
  expect(body.limits).toEqual([
    { subject: 'team', name: 'payments', requests_per_minute: 600, tokens_per_minute: null, concurrent: null },
    { subject: 'route', name: '*', requests_per_minute: null, tokens_per_minute: null, concurrent: 20 },
  ]);
  const packages = body.plugins.map((plugin: { package: string }) => plugin.package);
  expect(packages).toEqual(['@svc/exporter-jsonl', '@svc/guard-rules', '@svc/provider-echo', '@svc/store-lmdb']);
  expect(body.plugins[0]).toEqual({ package: '@svc/exporter-jsonl', version: expect.any(String), pin: null });
});

test('an exporter that fails lags behind, and another does not', async () => {
  await gateway.chat('hello');
  await gateway.chat('hello');
  const overview = async () => (await gateway.get('/v1/operations/exporters', 'root')).body;
  await until(async () => (await overview()).exporters[1].lag_records === 0);
  const { ledger_length, exporters } = await overview();
  expect(exporters).toEqual([
    { name: 'archive', through_seq: 0, lag_records: ledger_length },
    { name: 'second', through_seq: ledger_length, lag_records: 0 },
  ]);
});

test.each(['/v1/operations/configuration', '/v1/operations/exporters'])('%s is for administrators and auditors', async (path) => {
  for (const principal of ['root', 'auditor']) expect((await gateway.get(path, principal)).status).toBe(200);
  expect(await gateway.get(path, 'alice')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
});
