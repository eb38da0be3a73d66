import { expect } from 'vitest';
import type { Answer, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

/** Every kind of request, read or write, is answered with 503 SVC-STORE-001 while the database is away. */
export async function expectUnavailable(gateway: TestGateway, run_id: string): Promise<void> {
  const messages = [{ role: 'user', content: 'hello' }];
  const asked: Record<string, Promise<Answer>> = {
    health: gateway.get('/v1/health'),
    chat: gateway.chat('hello'),
    stream: gateway.chat('hello', { stream: true }),
    run: gateway.post('/v1/runs', { messages }),
    background: gateway.post('/v1/runs', { messages, background: true }),
    read: gateway.get(`/v1/runs/${run_id}`),
    pending: gateway.get(`/v1/runs/${run_id}/pending`),
    response: gateway.get(`/v1/runs/${run_id}/response`),
    resume: gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob'),
    audit: gateway.get('/v1/audit'),
    ledger: gateway.get('/v1/audit/ledger'),
    inventory: gateway.get('/v1/audit/inventory'),
    report: gateway.get('/v1/audit/report'),
  };
  const told = await Promise.all(
    Object.entries(asked).map(async ([name, answer]) => {
      const { status, body } = await answer;
      return [name, `${status} ${body?.code ?? body?.status}`];
    }),
  );
  const expected = Object.keys(asked).map((name) => [name, `503 ${name === 'health' ? 'unavailable' : 'SVC-STORE-001'}`]);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
}

/** Waits until the gateway reports that it is healthy. Waits for the server's answer, not for a clock. */
export async function available(gateway: TestGateway): Promise<void> {
  await until(async () => (await gateway.get('/v1/health')).status === 200);
}
