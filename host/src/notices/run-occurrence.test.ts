import { type RunRow, runEvent, stateEvent } from '@svc/contracts';
import { expect, it } from 'vitest';
import { runOccurrence } from './run-occurrence.ts';

const DIGEST = { digest: 'd', route_digest: 'r' };
const state = (from: RunRow['status'], to: RunRow['status']) => stateEvent('approval', 'digest', null, from, to);
const paused = runEvent('paused', 'ingress', 'policy', { code: 'wire', ...DIGEST });
const decision = runEvent('decision', 'approval', 'policy', { decision: 'approved', principal_id: 'bob', at: '', ...DIGEST });
const escalated = runEvent('escalated', 'approval', 'policy', { approvers: ['carol'], at: '', digest: 'd' });
const expired = runEvent('expired', 'approval', 'policy', { digest: 'd' });
const approver = { principal_id: 'bob', decision: 'approved', at: '' } as const;

it.each<[string, Partial<RunRow>, object | null]>([
  [
    'a pause',
    { status: 'paused', events: [state('running', 'paused'), paused] },
    { event: 'paused', name: 'policy', code: 'wire' },
  ],
  [
    'an escalation',
    { status: 'paused', events: [state('running', 'paused'), paused, escalated] },
    { event: 'escalated', name: 'policy', code: 'wire', route: 'chat', run_id: 'run-1' },
  ],
  ['an approval of an escalated run that needs another one', { status: 'paused', events: [paused, escalated, decision] }, null],
  [
    'a decision',
    { status: 'running', approver, events: [paused, decision, state('paused', 'running')] },
    { event: 'decision', name: 'policy', code: 'approved' },
  ],
  ['an expiry', { status: 'running', events: [paused, expired, state('paused', 'running')] }, { event: 'expired', code: null }],
  ['a start', { status: 'running', events: [state('pending', 'running')] }, null],
  [
    'a run that starts again after its decision',
    { status: 'running', approver, events: [paused, decision, state('paused', 'running'), state('pending', 'running')] },
    null,
  ],
  ['an end', { status: 'completed', approver, events: [] }, null],
])('%s', (_, row, expected) => {
  const occurrence = runOccurrence({ run_id: 'run-1', route: 'chat', status: 'running', events: [], approver: null, ...row });
  if (expected === null) expect(occurrence).toBeNull();
  else expect(occurrence).toMatchObject(expected);
});
