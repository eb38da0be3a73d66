import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ config: echoConfig() });
});
afterAll(() => gateway.dispose());

const ask = (key: string, more: object = {}, principal = 'alice'): Promise<Answer> =>
  gateway.request('POST', '/v1/runs', {
    principal,
    body: { messages: [{ role: 'user', content: 'hello' }], ...more },
    headers: { 'idempotency-key': key },
  });

const evidence = async (run_id: string) => (await gateway.ledger()).filter((record) => record.run_id === run_id);

describe('Idempotency-Key on POST /v1/runs', () => {
  it('asked again, gives the same run with its answer, and makes no other', async () => {
    const first = await ask('again');
    const second = await ask('again');
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(second.body.response).toContain('hello');
    expect(await evidence(first.body.run_id)).toHaveLength(1);
  });

  it('of many at once makes one', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('at-once')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
  });

  it('holds in the background, over a restart, and for one principal only', async () => {
    const first = (await ask('later', { background: true })).body.run_id;
    expect((await ask('later', { background: true })).body.run_id).toBe(first);
    await gateway.stop();
    await gateway.launch();
    expect((await ask('later', { background: true })).body.run_id).toBe(first);
    expect((await ask('later', { background: true }, 'bob')).body.run_id).not.toBe(first);
  });

  it('a paused run is found again, and is not asked for twice', async () => {
    const wire = { messages: [{ role: 'user', content: 'a wire transfer' }] };
    const { body } = await ask('waits', wire);
    expect(body.status).toBe('paused');
    expect((await ask('waits', wire)).body).toEqual(body);
  });

  it.each(['', 'with space', 'x'.repeat(256), 'ä'])('a key of another form is refused: %j', async (key) => {
    const answer = await ask(key).catch(() => null);
    // A header that cannot be sent at all is refused before it leaves.
    if (answer !== null) expect(answer).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
  });
});
