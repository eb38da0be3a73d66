import type { RunRow } from '@svc/contracts';
import { type ApproverEnv, type Decider, isBarred, ownRight, rightsOn } from './approver.ts';
import { sharePerson } from './person.ts';
import { approvalsOf, pendingDigest } from './quorum.ts';

/**
 * Why a principal cannot approve a paused run. `approvers`: others are its approvers. `own_request`: it made the request, and self-approval is off.
 * `approved`: an approval of this content by this person, or by the one in whose place it decides, counts already. It can still deny it.
 */
export type ApprovalBarrier = 'approvers' | 'own_request' | 'approved';

/** Null: it can approve and deny. `by`: its role is checked elsewhere. */
export function approvalBarrier(row: RunRow, by: Decider, env: ApproverEnv): ApprovalBarrier | null {
  const person = { principal_id: by.principal_id, ...by.identity };
  const rights = rightsOn(row, by, env);
  if (rights.length === 0) return isBarred(row, person, env) && ownRight(row, by, env) !== null ? 'own_request' : 'approvers';
  const route = env.routes.get(row.route);
  const approvals = route === undefined ? [] : approvalsOf(row, pendingDigest(row.events), route.digest, env);
  const hasApproved = rights.every(({ delegation }) => {
    const behalf = delegation === null ? {} : { on_behalf_of: { delegation_id: delegation.id, ...delegation.from } };
    return approvals.some((made) => sharePerson(made, { ...person, ...behalf }));
  });
  return hasApproved ? 'approved' : null;
}
