import { expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import type { Run, RunEvent } from './api-types.ts';
import { otherOutcome, ownOutcome, refusalOf } from './outcome.ts';

const run = (events: readonly RunEvent[], status: Run['status'] = 'completed'): Run => ({
  run_id: 'r',
  route: 'default',
  principal_id: 'alice',
  status,
  approvers: [],
  events: [...events],
  config_digest: 'sha256:0',
  evidence: null,
});
/** Also as an earlier release may have written it. */
const event = (event_type: RunEvent['event_type'], data: object) =>
  ({
    event_type,
    stage: 'approval',
    node: 'words',
    data,
  }) as RunEvent;

it('names who decided last', () => {
  const bob = event('decision', { decision: 'approved', principal_id: 'bob' });
  const carol = event('decision', { decision: 'denied', principal_id: 'carol' });
  const told = otherOutcome(run([bob, carol], 'denied'));
  expect(told).toContain('carol denied');
  expect(told).not.toContain('bob');
});

it('names no person for a pause that timed out or whose approver is unknown', () => {
  expect(otherOutcome(run([event('expired', {})], 'denied'))).not.toContain('decided');
  expect(otherOutcome(run([], 'error'))).toContain('error');
});

it('distinguishes an erasure that ended a run from a later one', () => {
  const bob = event('decision', { decision: 'denied', principal_id: 'bob' });
  const [erased, state] = [event('erased', { principal_id: 'carol' }), event('state', { to: 'denied' })];
  expect(otherOutcome(run([erased, state], 'denied'))).toContain('erased');
  expect(otherOutcome(run([bob, state, erased], 'denied'))).toContain('bob denied');
});

it('distinguishes all statuses of an approved run', () => {
  const texts = ['completed', 'paused', 'blocked', 'error', 'running'].map((status) => ownOutcome('approved', status));
  expect(new Set(texts).size).toBe(5);
});

it.each([
  [new ApiError(403, 'SVC-AUTH-003', ''), 'forbidden'],
  [new ApiError(409, 'SVC-RUN-002', ''), 'decided'],
  [new ApiError(404, 'SVC-RUN-001', ''), 'decided'],
  [new ApiError(409, 'SVC-RUN-003', ''), 'problem'],
  [new ApiError(503, 'SVC-STORE-001', ''), 'problem'],
  [new ApiError(0, '', ''), 'problem'],
  [new TypeError('x'), 'problem'],
])('%j means %s', (error, kind) => {
  expect(refusalOf(error).kind).toBe(kind);
});
