import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig() });
});
afterAll(() => gateway.dispose());

const run = (content: string, more: JsonObject = {}) =>
  gateway.post('/v1/runs', { messages: [{ role: 'user', content }], ...more });

/** Reads a run until it has left `pending` and `running`; each read waits for the server, not for a clock. */
async function settled(run_id: string): Promise<JsonObject> {
  for (;;) {
    const { body } = await gateway.get(`/v1/runs/${run_id}`);
    if (body.status !== 'pending' && body.status !== 'running') return body;
  }
}

describe('3 States and transitions', () => {
  it('(none) → pending at once when background is true; the client polls the run', async () => {
    const { body } = await run('hello', { background: true });
    expect(body).toMatchObject({ status: 'pending', response: '' });
    expect(await settled(body.run_id)).toMatchObject({ status: 'completed' });
    const { body: answer } = await gateway.get(`/v1/runs/${body.run_id}/response`);
    expect(answer).toMatchObject({ status: 'completed', response: expect.stringContaining('hello') });
  });

  it('(none) → the status that the pipeline ends with when background is false', async () => {
    expect((await run('hello')).body).toMatchObject({ status: 'completed', response: expect.stringContaining('hello') });
    expect((await run('forbidden')).body).toMatchObject({ status: 'blocked', response: '' });
  });

  it('running → paused on require_approval; the run keeps the verdict and is listed for approval', async () => {
    const { body } = await run('a wire transfer');
    expect(body).toMatchObject({ status: 'paused', response: '' });
    const verdicts = body.events
      .filter((event: JsonObject) => event.event_type === 'verdict')
      .map(({ data }: { data: JsonObject }) => data.verdict);
    expect(verdicts).toContain('require_approval');
    const listed = (await gateway.get('/v1/audit?status=paused')).body.runs.map(({ run_id }: JsonObject) => run_id);
    expect(listed).toContain(body.run_id);
  });

  it.each([
    ['approved', 'completed'],
    ['denied', 'denied'],
  ])('paused → resume %s → %s, and the evidence carries the approver', async (decision, status) => {
    const { body } = await run('a wire transfer');
    const resumed = await gateway.post(`/v1/runs/${body.run_id}/resume`, { decision }, 'bob');
    expect(resumed.body).toMatchObject({ run_id: body.run_id, status });
    const evidence = (await gateway.ledger()).find((record) => record.run_id === body.run_id);
    expect(evidence).toMatchObject({ status, approver: { principal_id: 'bob', decision, at: expect.any(String) } });
  });

  it('running → block: the run stops, chat sees content_filter, the ledger gets evidence', async () => {
    const { body, headers } = await gateway.chat('forbidden');
    expect(body.choices[0].finish_reason).toBe('content_filter');
    const evidence = (await gateway.ledger()).find((record) => record.run_id === headers.get('x-svc-run-id'));
    expect(evidence).toMatchObject({ status: 'blocked' });
    expect(JSON.stringify(evidence)).not.toContain('provider_call');
  });

  it('every move is a state event, and moves follow one another', async () => {
    const { body } = await run('a wire transfer');
    const { body: resumed } = await gateway.post(`/v1/runs/${body.run_id}/resume`, { decision: 'approved' }, 'bob');
    const moves = resumed.events
      .filter((event: JsonObject) => event.event_type === 'state')
      .map(({ data }: { data: JsonObject }) => [data.from, data.to]);
    expect(moves).toEqual([
      [null, 'running'],
      ['running', 'paused'],
      ['paused', 'running'],
      ['running', 'completed'],
    ]);
  });
});
