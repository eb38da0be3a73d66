import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../harness/gateway.ts';
import { DONE, delegatingConfig, delegationsOn, startDelegating } from './delegating-gateway.ts';
import { decide, reconfigure } from './pausing-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startDelegating();
});
afterAll(() => gateway.dispose());

const { paused, pending, during, withKey } = delegationsOn(() => gateway);

describe('of a quorum of two', () => {
  const WAITS = { status: 200, body: { status: 'paused' } };
  const TWICE = { status: 409, body: { code: 'SVC-APPR-002' } };

  it.each<[string, readonly (readonly [string, string])[], readonly (readonly [string, object])[]]>([
    [
      'a delegate and another approver',
      [['bob', 'dave']],
      [
        ['dave', WAITS],
        ['carol', DONE],
      ],
    ],
    [
      'a delegate, and again, then another approver',
      [['bob', 'dave']],
      [
        ['dave', WAITS],
        ['dave', WAITS],
        ['carol', DONE],
      ],
    ],
    [
      'a delegate of two people once',
      [
        ['bob', 'dave'],
        ['carol', 'dave'],
      ],
      [
        ['dave', WAITS],
        ['dave', WAITS],
        ['frank', DONE],
      ],
    ],
    [
      'a delegate and this person once',
      [['bob', 'dave']],
      [
        ['dave', WAITS],
        ['bob', TWICE],
        ['carol', DONE],
      ],
    ],
    [
      'a person and its delegate once',
      [['bob', 'dave']],
      [
        ['bob', WAITS],
        ['dave', TWICE],
        ['carol', DONE],
      ],
    ],
    [
      'two delegates of one person once',
      [
        ['bob', 'dave'],
        ['bob', 'erin'],
      ],
      [
        ['dave', WAITS],
        ['erin', TWICE],
        ['carol', DONE],
      ],
    ],
    [
      'a delegate in the place of the next person',
      [
        ['bob', 'dave'],
        ['carol', 'dave'],
      ],
      [
        ['bob', WAITS],
        ['dave', DONE],
      ],
    ],
    [
      'an approver who is also a delegate once',
      [['bob', 'carol']],
      [
        ['carol', WAITS],
        ['carol', WAITS],
        ['bob', DONE],
      ],
    ],
  ])('%s', async (_, pairs, steps) => {
    await during(pairs, async () => {
      const run_id = await paused('two');
      for (const [principal, expected] of steps)
        expect([principal, await decide(gateway, run_id, 'approved', principal)]).toMatchObject([principal, expected]);
    });
  });

  it('an approval no longer counts once its delegation has ended', async () => {
    const run_id = await paused('two');
    await during([['bob', 'dave']], () => decide(gateway, run_id, 'approved', 'dave'));
    expect((await pending(run_id, 'carol')).body.approvals).toEqual({ given: 0, needed: 2 });
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject(WAITS);
    expect(await decide(gateway, run_id, 'approved', 'bob')).toMatchObject(DONE);
  });

  it('an approval no longer counts once the last key of its person is revoked', async () => {
    await withKey('zoe', async ({ id, ask }) => {
      const run_id = await paused('pair');
      const approval = await ask('POST', `/v1/runs/${run_id}/resume`, { body: { decision: 'approved' } });
      expect(approval).toMatchObject(WAITS);
      await gateway.request('DELETE', `/v1/keys/${id}`, { principal: 'root' });
      expect((await pending(run_id, 'carol')).body.approvals).toEqual({ given: 0, needed: 2 });
      expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject(WAITS);
      expect(await decide(gateway, run_id, 'approved', 'bob')).toMatchObject(DONE);
    });
  });

  it('an approval no longer counts once its person has left the group', async () => {
    const run_id = await paused('two');
    expect(await decide(gateway, run_id, 'approved', 'grace')).toMatchObject(WAITS);
    await gateway.stop();
    await reconfigure(gateway, delegatingConfig(['frank']));
    await gateway.launch();
    expect((await pending(run_id, 'carol')).body.approvals).toEqual({ given: 0, needed: 2 });
    expect(await decide(gateway, run_id, 'approved', 'bob')).toMatchObject(WAITS);
    expect(await decide(gateway, run_id, 'approved', 'carol')).toMatchObject(DONE);
  });
});
