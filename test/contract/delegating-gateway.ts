import type { JsonObject } from '@svc/contracts';
import { expect } from 'vitest';
import { type Answer, echoConfig, type GatewayConfig, TestGateway } from '../harness/gateway.ts';
import { pausedRun } from './pausing-gateway.ts';

export const PATH = '/v1/approvals/delegations';
export const STRANGER = { status: 403, body: { code: 'SVC-AUTH-003' } };
export const DONE = { status: 200, body: { status: 'completed' } };

const route = (more: JsonObject): JsonObject => ({
  provider: 'local',
  model: 'echo-1',
  pipeline: { ingress: ['policy'], egress: [] },
  ...more,
});

/** @param finance members of the group `finance` */
export const delegatingConfig = (finance: string[]): GatewayConfig =>
  echoConfig({
    auth: { groups: { finance } },
    routes: {
      bounded: route({ approvers: ['bob', 'carol'] }),
      open: route({}),
      other: route({ approvers: ['bob'] }),
      pair: route({ approvals: 2 }),
      two: route({ approvers: ['bob', 'carol', 'frank', 'group/finance'], approvals: 2 }),
      finance: route({ approvers: ['group/finance'] }),
      'four-eyes': route({ approvers: ['alice', 'bob'], self_approval: false }),
    },
  });

export function startDelegating(): Promise<TestGateway> {
  const named = ['alice', 'bob', 'carol', 'frank', 'grace'].map((principal_id) => ({ principal_id }));
  return TestGateway.start({
    here: true,
    config: delegatingConfig(['frank', 'grace']),
    principals: [
      ...named,
      { principal_id: 'dave', roles: ['approve'] },
      { principal_id: 'erin', roles: ['approve'] },
      { principal_id: 'elsewhere', routes: ['other'] },
      { principal_id: 'caller', roles: ['call'] },
      { principal_id: 'root', roles: ['admin', 'audit'] },
      { principal_id: 'limited', roles: ['admin'], routes: ['other'] },
    ],
  });
}

/** What tests do with the gateway of {@link startDelegating}. */
export function delegationsOn(started: () => TestGateway) {
  let last = 0;
  const paused = (name: string, more: JsonObject = {}, principal = 'alice') =>
    pausedRun(started(), `wire transfer ${++last}`, { route: name, ...more }, principal);
  const asked = (from: string, body: JsonObject): Promise<Answer> => started().post(PATH, body, from);
  const end = (id: string, principal = 'bob') => started().request('DELETE', `${PATH}/${id}?reason=back`, { principal });
  const pending = (run_id: string, principal: string) => started().get(`/v1/runs/${run_id}/pending`, principal);

  async function delegated(from: string, to: string, more: JsonObject = {}): Promise<string> {
    const { status, body } = await asked(from, { to, for: '1h', reason: 'on leave', ...more });
    expect({ status, body }).toMatchObject({ status: 201, body: { from, to } });
    return body.id;
  }

  /** Delegations while the work is done; then they are ended. */
  async function during<T>(pairs: readonly (readonly [string, string])[], work: (ids: string[]) => Promise<T>): Promise<T> {
    const ids: string[] = [];
    for (const [from, to] of pairs) ids.push(await delegated(from, to));
    try {
      return await work(ids);
    } finally {
      for (const id of ids) await end(id, 'root');
    }
  }

  type Request = TestGateway['request'];
  async function withKey(principal_id: string, work: (key: { id: string; ask: Request }) => Promise<void>) {
    const { body } = await started().post('/v1/keys', { principal_id, roles: ['approve'] }, 'root');
    const headers = { authorization: `Bearer ${body.key}` };
    await work({
      id: body.id,
      ask: (method, path, options = {}) => started().request(method, path, { ...options, principal: null, headers }),
    });
  }

  return { paused, asked, end, pending, delegated, during, withKey };
}
