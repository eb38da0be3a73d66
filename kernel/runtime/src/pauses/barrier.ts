import type { RunRow } from '@svc/contracts';
import { type ApproverEnv, type Decider, isBarred, ownRight, rightsOn } from './approver.ts';
import { sharePerson } from './person.ts';
import { approvalsOf, pendingDigest } from './quorum.ts';

/**
 * Why a principal cannot approve a paused run. `approvers`: only others may approve. `own_request`: it made the request, and self-approval is off.
 * `passkey`: the route requires a signature, and a key cannot sign. `approved`: this person, or the one on whose behalf it decides, has already
 * approved this content. The principal can still deny.
 */
export type ApprovalBarrier = 'approvers' | 'own_request' | 'passkey' | 'approved';

/** Null: the principal can approve and deny. The role of `by` is checked elsewhere. */
export function approvalBarrier(row: RunRow, by: Decider, env: ApproverEnv): ApprovalBarrier | null {
  const person = { principal_id: by.principal_id, ...by.identity };
  const rights = rightsOn(row, by, env);
  if (rights.length === 0) return isBarred(row, person, env) && ownRight(row, by, env) !== null ? 'own_request' : 'approvers';
  const route = env.routes.get(row.route);
  if (route?.approval_passkey === 'required' && !by.identity) return 'passkey';
  const approvals = route === undefined ? [] : approvalsOf(row, pendingDigest(row.events), route.digest, env);
  const hasApproved = rights.every(({ delegation }) => {
    const behalf = delegation === null ? {} : { on_behalf_of: { delegation_id: delegation.id, ...delegation.from } };
    return approvals.some((made) => sharePerson(made, { ...person, ...behalf }));
  });
  return hasApproved ? 'approved' : null;
}
