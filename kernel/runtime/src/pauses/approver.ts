import { type RunRow, SvcError } from '@svc/contracts';
import type { RunsEnv } from '@svc/kernel';
import type { OperationalStates } from '../records/states/operational-states.ts';
import { approvalsOf, isSamePerson, pendingDigest } from './quorum.ts';

/**
 * The authenticated principal that wants to decide, and its current groups. `identity`: the person verified by an issuer; null or absent for a key.
 */
export interface Decider {
  readonly principal_id: string;
  readonly groups?: readonly string[];
  readonly identity?: { readonly issuer: string; readonly subject: string } | null;
}

/** Prefix of a group in a list of approvers. The name of a principal contains no `/`. */
const GROUP = 'group/';

/** The group that an entry of a list of approvers names; null for a principal. */
export function groupOf(entry: string): string | null {
  return entry.startsWith(GROUP) ? entry.slice(GROUP.length) : null;
}

/** Whether a list of approvers names this principal, or one of its groups. */
export function isListed(approvers: readonly string[], { principal_id, groups = [] }: Decider): boolean {
  return approvers.some((entry) => {
    const group = groupOf(entry);
    return group === null ? entry === principal_id : groups.includes(group);
  });
}

/**
 * Why a principal cannot approve a paused run. `approvers`: others are its approvers. `own_request`: it made the request, and self-approval is off.
 * `approved`: it has already approved this content, and can still deny it.
 */
export type ApprovalBarrier = 'approvers' | 'own_request' | 'approved';

type BarrierEnv = Pick<RunsEnv, 'routes'> & { readonly policy: Pick<OperationalStates, 'of'> };

/** Null: it can approve and deny. `by`: its role is checked elsewhere. */
export function approvalBarrier(row: RunRow, by: Decider, env: BarrierEnv): ApprovalBarrier | null {
  const barrier = decisionBarrier(row, by, env);
  const route = env.routes.get(row.route);
  if (barrier !== null || route === undefined) return barrier;
  const approvals = approvalsOf(row, pendingDigest(row.events), route, env.policy);
  return approvals.some((made) => isSamePerson(made, { principal_id: by.principal_id, ...by.identity })) ? 'approved' : null;
}

function decisionBarrier(row: RunRow, by: Decider, { routes }: Pick<RunsEnv, 'routes'>): 'approvers' | 'own_request' | null {
  if (row.approvers.length > 0 && !isListed(row.approvers, by)) return 'approvers';
  const isOwn = isSamePerson({ principal_id: by.principal_id, ...by.identity }, row);
  return isOwn && routes.get(row.route)?.self_approval === false ? 'own_request' : null;
}

const REFUSALS = {
  approvers: 'you are not an approver of this run',
  own_request: 'you made this request, and its route does not allow self-approval',
} as const;

/** Throws SVC-AUTH-003 unless this principal may decide on the run. */
export function assertApprover(row: RunRow, by: Decider, env: Pick<RunsEnv, 'routes'>): void {
  const barrier = decisionBarrier(row, by, env);
  if (barrier !== null) throw new SvcError('SVC-AUTH-003', REFUSALS[barrier], { run_id: row.run_id });
}
