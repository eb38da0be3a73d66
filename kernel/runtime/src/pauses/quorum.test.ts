import { type RunEvent, runEvent } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { routeOf } from '../test-parts.ts';
import { type ApproverEnv, TRUSTED_APPROVERS } from './approver.ts';
import type { Delegation } from './delegations.ts';
import { approvalsOf, type DecisionData } from './quorum.ts';

const ROUTE = { ...routeOf({}), digest: 'sha256:route' };
const PAUSE = runEvent('paused', 'ingress', 'wire', { code: 'wire', digest: 'sha256:seen', route_digest: ROUTE.digest });

function decision(principal_id: string, more: Partial<DecisionData> = {}): RunEvent {
  const data = { at: '2026-11-27T00:00:00.000Z', decision: 'approved', digest: 'sha256:seen', principal_id } as const;
  return runEvent('decision', 'approval', 'wire', { ...data, route_digest: ROUTE.digest, ...more });
}
const counted = (
  events: RunEvent[],
  route: { readonly self_approval?: boolean } = {},
  run = {},
  env: Partial<ApproverEnv> = {},
): string[] =>
  approvalsOf({ events, approvers: [], route: ROUTE.name, principal_id: 'alice', ...run }, 'sha256:seen', ROUTE.digest, {
    clock: { now: () => 0 },
    routes: new Map([[ROUTE.name, { ...ROUTE, ...route }]]),
    policy: { of: () => 'enabled' },
    approvers: TRUSTED_APPROVERS,
    delegations: { inForce: [] },
    ...env,
  }).map(({ principal_id }) => principal_id);

it('counts a principal once', () => {
  expect(counted([PAUSE, decision('bob'), decision('bob'), decision('carol')])).toEqual(['bob', 'carol']);
});

it('counts a subject of an issuer once under any name, and equal subjects of two issuers as two people', () => {
  const one = { issuer: 'https://one.example', subject: '1' };
  const renamed = [decision('bob', one), decision('robert', one)];
  expect(counted([PAUSE, ...renamed])).toEqual(['bob']);
  expect(counted([PAUSE, decision('bob', one), decision('robert', { ...one, issuer: 'https://two.example' })])).toHaveLength(2);
});

it.each([
  ['of other content', decision('bob', { digest: 'sha256:other' })],
  ['under another configuration of the route', decision('bob', { route_digest: 'sha256:former' })],
  ['that is a denial', decision('bob', { decision: 'denied' })],
])('does not count a decision %s', (_, other) => {
  expect(counted([PAUSE, other])).toEqual([]);
});

it('does not count decisions from before the last pause of the run', () => {
  expect(counted([PAUSE, decision('bob'), PAUSE, decision('carol')])).toEqual(['carol']);
});

it('counts the caller only if the route allows it', () => {
  const events = [PAUSE, decision('alice'), decision('bob')];
  expect(counted(events)).toEqual(['alice', 'bob']);
  expect(counted(events, { self_approval: false })).toEqual(['bob']);
});

it('recognises the caller by its subject under any name', () => {
  const person = { issuer: 'https://one.example', subject: '1' };
  const events = [PAUSE, decision('alison', person), decision('bob', { ...person, subject: '2' })];
  expect(counted(events, { self_approval: false }, person)).toEqual(['bob']);
  expect(counted(events, {}, person)).toEqual(['alison', 'bob']);
});

describe('at the time of the count', () => {
  const events = [PAUSE, decision('bob'), decision('carol')];
  const lost = (more: Partial<typeof TRUSTED_APPROVERS>) => ({ approvers: { ...TRUSTED_APPROVERS, ...more } });
  const finance = { approvers: ['group/finance'] };

  it.each([
    ['was disabled', {}, { policy: { of: (_: string, name: string) => (name === 'bob' ? 'disabled' : 'enabled') } as never }],
    ['has no key with the role left', {}, lost({ hasRole: ({ principal_id }) => principal_id !== 'bob' })],
    ['is in the group no longer', finance, lost({ mayHaveGroup: ({ principal_id }) => principal_id !== 'bob' })],
    ['is named no longer', { approvers: ['carol'] }, {}],
  ])('does not count a person who %s', (_, run, env) => {
    expect(counted(events, {}, run, env)).toEqual(['carol']);
  });

  it('does not count a person who has removed the passkey with which they signed', () => {
    const signed = { public_key: 'stolen' } as NonNullable<DecisionData['signed']>;
    const env = lost({ hasPasskey: ({ principal_id }, key) => principal_id !== 'bob' || key !== 'stolen' });
    expect(counted([PAUSE, decision('bob', { signed }), decision('carol', { signed })], {}, {}, env)).toEqual(['carol']);
    expect(counted(events, {}, {}, env)).toEqual(['bob', 'carol']);
  });

  it.each([
    ['by the configuration', lost({ mayHaveGroup: () => false, groupsOf: () => ['finance'] }), ['bob', 'carol']],
    ['by another group of the configuration', lost({ mayHaveGroup: () => false, groupsOf: () => ['ops'] }), []],
  ])('counts a member of a group %s', (_, env, people) => {
    expect(counted(events, {}, finance, env)).toEqual(people);
  });
});

describe('an approval on behalf of another person', () => {
  const given = (from: string, to: string): Delegation => ({
    id: `${from}-${to}`,
    from: { principal_id: from },
    to,
    routes: null,
    since: '',
    until: '',
    reason: null,
  });
  const behalf = (to: string, from: string) =>
    decision(to, { on_behalf_of: { delegation_id: `${from}-${to}`, principal_id: from } });
  const inForce = [given('bob', 'dave'), given('bob', 'erin'), given('carol', 'dave'), given('dave', 'erin')];
  const named = { approvers: ['bob', 'carol'] };
  const counts = (events: RunEvent[], env: Partial<ApproverEnv> = {}, route = {}) =>
    counted([PAUSE, ...events], route, named, { delegations: { inForce }, ...env });

  it.each([
    ['counts', [behalf('dave', 'bob')], ['dave']],
    ['counts beside that of another approver', [behalf('dave', 'bob'), decision('carol')], ['dave', 'carol']],
    ['and that of this person count once', [behalf('dave', 'bob'), decision('bob')], ['dave']],
    ['counts once for two delegates of one person', [behalf('dave', 'bob'), behalf('erin', 'bob')], ['dave']],
    ['counts once for a delegate of two people', [behalf('dave', 'bob'), behalf('dave', 'carol')], ['dave']],
    ['does not count by a delegate of a delegate', [behalf('erin', 'dave')], []],
    ['does not count without the delegation', [behalf('erin', 'carol')], []],
  ])('%s', (_, events, people) => {
    expect(counts(events)).toEqual(people);
  });

  it.each([
    ['the delegation has ended', { delegations: { inForce: [] } }],
    ['the delegation is for another route', { delegations: { inForce: [{ ...given('bob', 'dave'), routes: ['other'] }] } }],
    [
      'the other person has lost the role',
      { approvers: { ...TRUSTED_APPROVERS, hasRole: ({ principal_id }: { principal_id: string }) => principal_id !== 'bob' } },
    ],
  ])('does not count once %s', (_, env) => {
    expect(counts([behalf('dave', 'bob')], env)).toEqual([]);
  });

  it('does not pass on a group that only a token gives', () => {
    const run = { approvers: ['group/finance'] };
    const env = { delegations: { inForce }, approvers: { ...TRUSTED_APPROVERS, mayHaveGroup: () => true } };
    expect(counted([PAUSE, behalf('dave', 'bob')], {}, run, env)).toEqual([]);
    const configured = { ...env, approvers: { ...TRUSTED_APPROVERS, groupsOf: () => ['finance'] } };
    expect(counted([PAUSE, behalf('dave', 'bob')], {}, run, configured)).toEqual(['dave']);
  });

  it.each([
    ['the caller decides in the place of an approver', 'dave'],
    ['a delegate decides in the place of the caller', 'bob'],
  ])('does not count if self-approval is off and %s', (_, principal_id) => {
    const run = { ...named, principal_id };
    expect(counted([PAUSE, behalf('dave', 'bob')], { self_approval: false }, run, { delegations: { inForce } })).toEqual([]);
    expect(counted([PAUSE, behalf('dave', 'bob')], {}, run, { delegations: { inForce } })).toEqual(['dave']);
  });
});

it('counts an escalated approver from the time of the escalation', () => {
  const escalation = { approvers: ['erin'], at: '1970-01-01T00:01:00.000Z' };
  const paused = runEvent('paused', 'ingress', 'wire', {
    code: 'wire',
    digest: 'sha256:seen',
    escalation,
    route_digest: ROUTE.digest,
  });
  const at = (now: number) => counted([paused, decision('erin')], {}, { approvers: ['bob'] }, { clock: { now: () => now } });
  expect([at(59_999), at(60_000)]).toEqual([[], ['erin']]);
});
