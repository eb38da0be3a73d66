import { expect, it } from 'vitest';
import type { Route, RouteNode, RunEvent } from './api-types.ts';
import { stopsOf } from './pipeline.ts';

const node = (name: string): RouteNode => ({
  name,
  type: 'rules',
  package: 'p',
  version: '1.0.0',
  mode: 'enforce',
  verdicts: ['block'],
});
const route: Route = {
  name: 'default',
  owner: null,
  risk_rating: null,
  review_interval_days: null,
  residency: [],
  approvers: [],
  provider: { name: 'local', type: 'echo', region: null, model: 'echo-1', weight: null },
  fallbacks: [],
  pipeline: { ingress: [node('mask'), node('policy')], egress: [node('mask')] },
  stops: 'text',
  streams: 'as-it-comes',
};
/** Also as an earlier release may have written it. */
const event = (event_type: RunEvent['event_type'], stage: RunEvent['stage'], name: string, data: object) =>
  ({
    event_type,
    stage,
    node: name,
    data,
  }) as RunEvent;
const tones = (events: readonly RunEvent[]) => stopsOf(route, events).map(({ label }) => label?.tone ?? null);
const masked = event('verdict', 'ingress', 'mask', { verdict: 'sanitize', duration_ms: 3 });
const waits = event('verdict', 'ingress', 'policy', { verdict: 'require_approval' });
const paused = event('paused', 'ingress', 'policy', { code: 'wire' });

it('draws the route before the first event', () => {
  expect(stopsOf(route, []).map(({ name, stage }) => `${stage} ${name}`)).toEqual([
    'ingress mask',
    'ingress policy',
    'execute echo-1',
    'egress mask',
  ]);
  expect(tones([])).toEqual([null, null, null, null]);
});

it('distinguishes the same guard before and after the model', () => {
  const after = event('verdict', 'egress', 'mask', { verdict: 'allow', duration_ms: 0 });
  expect(tones([masked, after])).toEqual(['changed', null, null, 'good']);
  expect(stopsOf(route, [masked])[0]?.took_ms).toBe(3);
});

it('shows a decision where the run was paused', () => {
  expect(tones([masked, waits, paused])).toEqual(['changed', 'waits', null, null]);
  const approved = event('decision', 'approval', 'policy', { decision: 'approved', principal_id: 'bob' });
  const call = event('provider_call', 'execute', 'local', { outcome: 'answered', model: 'echo-1', latency_ms: 5 });
  expect(tones([masked, waits, paused, approved, call])).toEqual(['changed', 'good', 'good', null]);
  // The configuration changed, so it asks again.
  expect(tones([masked, waits, paused, approved, waits, paused])).toEqual(['changed', 'waits', null, null]);
});

it('a guard that stopped the run at the provider is not shown as having let it pass', () => {
  const here = event('verdict', 'ingress', 'policy', { verdict: 'allow' });
  const there = event('verdict', 'execute', 'policy', { verdict: 'block' });
  expect(tones([here, there])).toEqual([null, 'bad', null, null]);
});

it('shows the fallback that answered', () => {
  const failed = event('provider_call', 'execute', 'local', { outcome: 'timeout', model: 'echo-1', region: null });
  const answered = event('provider_call', 'execute', 'spare', { outcome: 'answered', model: 'm-2', region: 'us' });
  expect(stopsOf(route, [failed, answered])[2]).toMatchObject({ name: 'm-2', kind: 'spare, region us', label: { tone: 'good' } });
});
