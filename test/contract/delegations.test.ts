import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../harness/gateway.ts';
import { DONE, delegationsOn, PATH, STRANGER, startDelegating } from './delegating-gateway.ts';
import { decide, type Event, evidenceOf, ofType, statusOf } from './pausing-gateway.ts';

const UNKNOWN = { status: 404, body: { code: 'SVC-APPR-001' } };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startDelegating();
});
afterAll(() => gateway.dispose());

const { paused, asked, end, pending, delegated, during, withKey } = delegationsOn(() => gateway);
const records = async (): Promise<JsonObject[]> => (await gateway.get('/v1/audit/operations?limit=1000', 'root')).body.records;
const decisionIn = (record: JsonObject | undefined) => ofType(record?.events as unknown as Event[], 'decision')[0]?.data;

describe('a delegate', () => {
  it('decides as itself, and the evidence says on whose behalf', async () => {
    await during([['bob', 'dave']], async ([id = '']) => {
      const run_id = await paused('bounded');
      const seen = await pending(run_id, 'dave');
      const entry = { approver: 'dave', on_behalf_of: 'bob', delegation_id: id, until: expect.any(String) };
      expect(seen).toMatchObject({ status: 200, body: { on_behalf_of: 'bob' } });
      expect(seen.body.may_decide).toMatchObject([{ approver: 'bob' }, { approver: 'carol', on_behalf_of: null }, entry]);
      expect((await pending(run_id, 'bob')).body.on_behalf_of).toBeNull();
      const listed = (await gateway.get('/v1/audit?status=paused&route=bounded', 'dave')).body.runs;
      expect(listed.find((run: JsonObject) => run.run_id === run_id)).toMatchObject({
        principal_id: 'alice',
        may_decide: expect.arrayContaining([expect.objectContaining(entry)]),
      });
      expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject(DONE);
      const on_behalf_of = { delegation_id: id, principal_id: 'bob' };
      const [record] = await evidenceOf(gateway, run_id);
      expect(decisionIn(record)).toMatchObject({ principal_id: 'dave', on_behalf_of });
      expect(record?.approver).toMatchObject({ principal_id: 'dave', on_behalf_of });
      const made = await gateway.get(`/v1/runs/${run_id}/decisions`, 'dave');
      expect(made.body.decisions).toMatchObject([{ principal_id: 'dave', on_behalf_of: 'bob' }]);
      expect((await gateway.get(`/v1/runs/${run_id}/response`, 'dave')).status).toBe(200);
      expect((await gateway.get(`/v1/runs/${run_id}`, 'dave')).body).not.toHaveProperty('may_decide');
    });
  });

  it('may deny', async () => {
    await during([['bob', 'dave']], async () => {
      const run_id = await paused('bounded');
      expect(await decide(gateway, run_id, 'denied', 'dave')).toMatchObject({ body: { status: 'denied' } });
    });
  });

  it('that may decide in its own right does so', async () => {
    await during([['bob', 'carol']], async () => {
      const run_id = await paused('bounded');
      await decide(gateway, run_id, 'approved', 'carol');
      const [record] = await evidenceOf(gateway, run_id);
      expect(decisionIn(record)).not.toHaveProperty('on_behalf_of');
    });
  });

  it('may also stand in for a member of a group', async () => {
    await during([['frank', 'dave']], async () => {
      expect(await decide(gateway, await paused('finance'), 'approved', 'dave')).toMatchObject(DONE);
    });
  });

  it('reads no content of ended runs, and erases nothing', async () => {
    await during([['bob', 'dave']], async () => {
      const ended = await paused('bounded');
      await decide(gateway, ended, 'approved', 'carol');
      for (const what of ['response', 'request', 'decisions'])
        expect(await gateway.get(`/v1/runs/${ended}/${what}`, 'dave')).toMatchObject(STRANGER);
      expect((await gateway.get(`/v1/runs/${ended}`, 'dave')).body.principal_id).toBe('');
      const waits = await paused('bounded');
      for (const run_id of [ended, waits])
        expect(await gateway.request('DELETE', `/v1/runs/${run_id}/content`, { principal: 'dave' })).toMatchObject(STRANGER);
    });
  });
});

describe('only the delegate of an approver decides', () => {
  it.each<[string, readonly (readonly [string, string])[], string, string, string]>([
    ['another person', [['bob', 'dave']], 'bounded', 'alice', 'erin'],
    ['the delegate of one who is no approver', [['erin', 'dave']], 'bounded', 'alice', 'dave'],
    [
      'the delegate of a delegate',
      [
        ['bob', 'dave'],
        ['dave', 'erin'],
      ],
      'bounded',
      'alice',
      'erin',
    ],
    ['the caller in the place of an approver', [['bob', 'alice']], 'four-eyes', 'alice', 'alice'],
    ['the delegate of the caller', [['alice', 'dave']], 'four-eyes', 'alice', 'dave'],
  ])('%s is refused', async (_, pairs, name, caller, principal) => {
    await during(pairs, async () => {
      const run_id = await paused(name, {}, caller);
      for (const decision of ['approved', 'denied'] as const)
        expect(await decide(gateway, run_id, decision, principal)).toMatchObject(STRANGER);
      expect(await pending(run_id, principal)).toMatchObject(STRANGER);
      const { may_decide } = (await gateway.get(`/v1/runs/${run_id}`, 'root')).body;
      expect(may_decide.filter((entry: JsonObject) => entry.approver === principal && entry.on_behalf_of !== null)).toEqual([]);
      expect(await statusOf(gateway, run_id)).toBe('paused');
    });
  });
});

describe('a delegation ends', () => {
  it.each(['bob', 'root'])('when %s ends it, once', async (principal) => {
    const id = await delegated('bob', 'dave');
    const run_id = await paused('bounded');
    for (const stranger of ['dave', 'carol', 'limited']) expect(await end(id, stranger)).toMatchObject(UNKNOWN);
    expect(await pending(run_id, 'dave')).toMatchObject({ status: 200 });
    expect(await end(id, principal)).toMatchObject({ status: 200, body: { id, until: expect.any(String) } });
    expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject(STRANGER);
    expect(await end(id, principal)).toMatchObject(UNKNOWN);
    expect((await records()).slice(-2)).toMatchObject([
      {
        action: 'delegation.created',
        target: { kind: 'delegation', name: id },
        actor: { principal_id: 'bob' },
        reason: 'on leave',
      },
      { action: 'delegation.ended', target: { name: id }, actor: { principal_id: principal }, reason: 'back' },
    ]);
  });

  it('at its time, and the operations log has its start and end', async () => {
    const id = await delegated('bob', 'dave', { for: '1s' });
    const run_id = await paused('bounded');
    await expect.poll(async () => (await pending(run_id, 'dave')).status, { timeout: 10_000 }).toBe(403);
    await expect
      .poll(async () => (await records()).at(-1), { timeout: 10_000 })
      .toMatchObject({ action: 'delegation.ended', target: { name: id }, actor: { principal_id: null } });
  });

  it('but not because of a restart', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const id = await delegated('bob', 'dave', { until, for: undefined as never });
    const run_id = await paused('bounded');
    await gateway.stop();
    await gateway.launch();
    expect((await gateway.get(PATH, 'bob')).body.delegations).toMatchObject([{ id, from: 'bob', to: 'dave', until }]);
    expect(await pending(run_id, 'dave')).toMatchObject({ status: 200 });
    await end(id);
    await gateway.stop();
    await gateway.launch();
    expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject(STRANGER);
  });

  it('when the approver loses the role: a revoked key, a disabled principal', async () => {
    await withKey('zoe', async ({ id, ask }) => {
      const run_id = await paused('open', { approvers: ['zoe'] });
      const given = await ask('POST', PATH, { body: { to: 'dave', for: '1h', reason: 'on leave' } });
      expect(given.status).toBe(201);
      const set = (state: string) =>
        gateway.request('PUT', '/v1/operations/states/principal/zoe', { principal: 'root', body: { state } });
      await set('disabled');
      expect(await pending(run_id, 'dave')).toMatchObject(STRANGER);
      await set('enabled');
      expect(await pending(run_id, 'dave')).toMatchObject({ status: 200 });
      await gateway.request('DELETE', `/v1/keys/${id}`, { principal: 'root' });
      expect(await decide(gateway, run_id, 'approved', 'dave')).toMatchObject(STRANGER);
      await end(given.body.id, 'root');
    });
  });
});

describe('a delegation', () => {
  it('by a key for some routes is for these only', async () => {
    const { body } = await gateway.post('/v1/keys', { principal_id: 'bob', roles: ['approve'], routes: ['other'] }, 'root');
    const given = await gateway.request('POST', PATH, {
      principal: null,
      headers: { authorization: `Bearer ${body.key}` },
      body: { to: 'dave', for: '1h', reason: 'on leave' },
    });
    expect(given.body).toMatchObject({ routes: ['other'] });
    expect(await pending(await paused('other'), 'dave')).toMatchObject({ status: 200 });
    expect(await pending(await paused('bounded'), 'dave')).toMatchObject(STRANGER);
    expect(await end(given.body.id, 'limited')).toMatchObject({ status: 200 });
  });

  it('is listed for both, for auditors and for admins, and for no one else', async () => {
    await during([['bob', 'dave']], async ([id]) => {
      for (const principal of ['bob', 'dave', 'root'])
        expect((await gateway.get(PATH, principal)).body.delegations).toMatchObject([{ id }]);
      for (const principal of ['limited', 'elsewhere']) expect((await gateway.get(PATH, principal)).body.delegations).toEqual([]);
      expect(await gateway.get(PATH, 'caller')).toMatchObject({ status: 403 });
    });
  });

  it.each<[string, JsonObject]>([
    ['to nobody', { to: 'nobody' }],
    ['to one without the role', { to: 'caller' }],
    ['to a group', { to: 'group/finance' }],
    ['to oneself', { to: 'bob' }],
    ['without an end', { for: undefined as never }],
    ['with two ends', { until: '2999-01-01T00:00:00Z' }],
    ['with an end that has passed', { for: undefined as never, until: '2020-01-01T00:00:00Z' }],
    ['with an end that is none', { for: undefined as never, until: '2030-02-30T00:00:00Z' }],
    ['for too long', { for: '91d' }],
    ['for a time that overflows', { for: '999999d' }],
    ['without a reason', { reason: undefined as never }],
    ['with a blank reason', { reason: '\u2800' }],
    ['with a field that is unknown', { routes: ['bounded'] }],
  ])('is refused %s', async (_, more) => {
    const before = (await records()).length;
    const refused = await asked('bob', { to: 'dave', for: '1h', reason: 'on leave', ...more });
    expect(refused).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
    expect(refused.text).not.toContain('nobody');
    expect(await records()).toHaveLength(before);
  });

  it('is refused without a common route, and for a principal who may not decide', async () => {
    const body = { to: 'dave', for: '1h', reason: 'on leave' };
    expect(await asked('caller', body)).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
    await withKey('yan', async ({ ask }) => {
      const limited = await gateway.post('/v1/keys', { principal_id: 'yan', roles: ['approve'], routes: ['bounded'] }, 'root');
      const headers = { authorization: `Bearer ${limited.body.key}` };
      const refused = await gateway.request('POST', PATH, { principal: null, headers, body: { ...body, to: 'elsewhere' } });
      expect(refused).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
      expect((await ask('POST', PATH, { body: { ...body, to: 'elsewhere' } })).status).toBe(201);
    });
  });
});
