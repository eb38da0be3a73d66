import { SvcError } from '@svc/contracts';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { groupOf } from '@svc/runtime';

/**
 * Whether a principal, or a member of a group, has a key or could have a token that may decide on runs of a route.
 * Without authentication, everybody may.
 */
export type CanApprove = (entry: string, route: string) => boolean;

/**
 * The principals that may decide on a run: the route's approvers, or the subset that the body names.
 * @throws {SvcError} SVC-REQ-001 for a name that cannot decide
 */
export function approversOf(
  asked: readonly string[],
  principal_id: string,
  { name, approvers, approvals, self_approval }: RuntimeRoute,
  canApprove: CanApprove,
): readonly string[] {
  if (asked.length === 0) return approvers;
  if (approvers.length > 0 && !asked.every((id) => approvers.includes(id))) {
    throw new SvcError('SVC-REQ-001', "body/approvers must be a subset of the route's approvers");
  }
  const invalid = asked.findIndex((id) => !canApprove(id, name));
  if (invalid >= 0)
    throw new SvcError(
      'SVC-REQ-001',
      `body/approvers/${invalid} cannot decide: name a principal with the role approve for this route, or a group that has one`,
    );
  if (!self_approval && asked.every((id) => id === principal_id)) {
    throw new SvcError('SVC-REQ-001', 'body/approvers must include another principal: this route does not allow self-approval');
  }
  const people = new Set(self_approval ? asked : asked.filter((id) => id !== principal_id));
  if (people.size < approvals && asked.every((entry) => groupOf(entry) === null))
    throw new SvcError('SVC-REQ-001', `body/approvers names too few principals: this route needs ${approvals} approvals`);
  return asked;
}
