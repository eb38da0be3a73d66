import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';

const other = { provider: 'local', model: 'echo-2', pipeline: { ingress: [], egress: [] } };
const CONFIG = echoConfig({ routes: { other } });
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: CONFIG });
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
  it('a repetition returns the same run with its answer, and creates no other', async () => {
    const first = await ask('again');
    const second = await ask('again');
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(second.body.response).toContain('hello');
    expect(await evidence(first.body.run_id)).toHaveLength(1);
  });

  it('of many concurrent requests creates one run', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('at-once')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
  });

  it('works in the background, across a restart, and for one principal only', async () => {
    const first = (await ask('later', { background: true })).body.run_id;
    expect((await ask('later', { background: true })).body.run_id).toBe(first);
    await gateway.stop();
    await gateway.launch();
    expect((await ask('later', { background: true })).body.run_id).toBe(first);
    expect((await ask('later', { background: true }, 'bob')).body.run_id).not.toBe(first);
  });

  it('a paused run is found again, and needs no second approval', async () => {
    const wire = { messages: [{ role: 'user', content: 'a wire transfer' }] };
    const { body } = await ask('waits', wire);
    expect(body.status).toBe('paused');
    expect((await ask('waits', wire)).body).toEqual(body);
  });

  it.each(['', 'with space', 'x'.repeat(256), 'ä'])('a key of another form is refused: %j', async (key) => {
    expect(await ask(key)).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
  });

  const REFUSED = { status: 409, body: { code: 'SVC-RUN-006' } };
  const messages = [{ role: 'user', content: 'good bye' }];

  it.each([
    ['another text', { messages }],
    ['another route', { route: 'other' }],
    ['another field', { background: true }],
    ['a field of a message', { messages: [{ role: 'user', content: 'hello', name: 'ann' }] }],
  ])('is bound to route and body: %s gives 409, and no run is created', async (name, more) => {
    const key = name.replaceAll(' ', '-');
    const { run_id } = (await ask(key)).body;
    const runs = async () => (await gateway.get('/v1/audit')).body.runs.length;
    const before = await runs();
    const refused = await ask(key, more);
    expect(refused).toMatchObject(REFUSED);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(refused.text + [...refused.headers.values()].join()).not.toContain(run_id);
    expect(await runs()).toBe(before);
    expect((await ask(key)).body.run_id).toBe(run_id);
  });

  it('another order of keys, or an explicit default, is the same body', async () => {
    const { run_id } = (await ask('same')).body;
    const body = '{"route":"default","messages":[{"content":"hello","role":"user"}],"background":false}';
    const again = await gateway.request('POST', '/v1/runs', { body, headers: { 'idempotency-key': 'same' } });
    expect(again).toMatchObject({ status: 200, body: { run_id } });
  });

  it('if many concurrent requests have two bodies, those with one body get its run and the others 409', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ask('two-bodies', n % 2 === 0 ? {} : { messages })));
    const run_ids = [0, 1].map((of) => answers.flatMap(({ body }, n) => (n % 2 === of ? [body.run_id ?? body.code] : [])));
    const unlike = run_ids.map((ids) => [...new Set(ids)]);
    expect(unlike.map((ids) => ids.length)).toEqual([1, 1]);
    expect(unlike.flat().filter((id) => id === 'SVC-RUN-006')).toHaveLength(1);
  });

  it('stays bound across a restart, and a key for one route never gets the answer of another', async () => {
    const key = `svc-${randomBytes(32).toString('hex')}`;
    const key_hash = `sha256:${createHash('sha256').update(key).digest('hex')}`;
    const alice = `sha256:${createHash('sha256').update(gateway.key('alice')).digest('hex')}`;
    const { run_id } = (await ask('bound', { route: 'other' })).body;
    await gateway.stop();
    const keys = [
      { principal_id: 'alice', key_hash, routes: ['default'] },
      { principal_id: 'alice', key_hash: alice },
    ];
    await gateway.configure({ ...CONFIG, auth: { keys } });
    await gateway.launch();
    const narrow = (body: object) =>
      gateway.request('POST', '/v1/runs', {
        principal: null,
        body: { messages: [{ role: 'user', content: 'hello' }], ...body },
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'bound' },
      });
    expect(await narrow({})).toMatchObject(REFUSED);
    expect(await narrow({ route: 'other' })).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
    expect((await ask('bound', { route: 'other' })).body.run_id).toBe(run_id);
  });
});
