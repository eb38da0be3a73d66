import { type RunEvent, runEvent } from '@svc/contracts';
import { expect, it } from 'vitest';
import { approvalsOf, type DecisionData } from './quorum.ts';

const ROUTE = { digest: 'sha256:route', self_approval: true };
const ENABLED = { of: () => 'enabled' as const };
const PAUSE = runEvent('paused', 'ingress', 'wire', { code: 'wire', digest: 'sha256:seen', route_digest: ROUTE.digest });

function decision(principal_id: string, more: Partial<DecisionData> = {}): RunEvent {
  const data = { at: '2026-11-27T00:00:00.000Z', decision: 'approved', digest: 'sha256:seen', principal_id } as const;
  return runEvent('decision', 'approval', 'wire', { ...data, route_digest: ROUTE.digest, ...more });
}
const counted = (events: RunEvent[], route: Partial<typeof ROUTE> = {}, caller = {}) =>
  approvalsOf({ events, principal_id: 'alice', ...caller }, 'sha256:seen', { ...ROUTE, ...route }, ENABLED).map(
    ({ principal_id }) => principal_id,
  );

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
