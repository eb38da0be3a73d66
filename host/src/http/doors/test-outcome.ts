import type { RunOutcome } from '@svc/kernel';
import { CHAT } from '@svc/protocols';

export const RUN = '01900000-0000-7000-8000-000000000001';

const ROW: RunOutcome['row'] = {
  run_id: RUN,
  route: 'r',
  principal_id: 'alice',
  status: 'completed',
  approvers: [],
  events: [],
  config_digest: '',
  created_at: '2026-11-21T12:00:00.000Z',
  expires_at: null,
  approver: null,
  owner: '',
  version: 1,
  evidence: { seq: 7, hash: 'sha256:00' },
};
/** A run that has completed without an answer. */
export const NOTHING: RunOutcome = {
  row: ROW,
  events: [],
  protocol: CHAT,
  completion: null,
  stop: null,
  tail: null,
  error: null,
  paid: false,
  cost: 'complete',
};
