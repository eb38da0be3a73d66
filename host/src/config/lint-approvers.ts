import { groupOf } from '@svc/runtime';
import { mayApproveAsGroup, membersOf } from './groups.ts';
import type { LintContext } from './lint-context.ts';
import { nearestName } from './nearest.ts';
import { mayApprove } from './oidc-issuers.ts';
import type { Route } from './routes-section.ts';

/**
 * SVC-POL-002: no approver of the route can decide, so nobody could decide on a paused run. Only a warning if no key is configured, because the file
 * is then for `--no-auth`. The file does not list whom an issuer knows, so any name that an issuer could give is accepted.
 */
export function lintApprovers(name: string, route: Route, context: LintContext): void {
  const { report, keys, issuers, groups } = context;
  lintNumber(name, route, context);
  const mayDecide = (principal_id: string): boolean =>
    mayApprove(issuers, principal_id, name) || keysFor(name, keys).some((key) => key.principal_id === principal_id);
  const severity = keys.length + issuers.length === 0 ? 'warning' : 'error';
  for (const [index, approver] of route.approvers.entries()) {
    if (mayDecide(approver) || mayApproveAsGroup(approver, context, mayDecide)) continue;
    const path = ['routes', name, 'approvers', index];
    const group = groupOf(approver);
    if (group !== null && !Object.hasOwn(groups, group)) {
      const known = Object.keys(groups).map((name) => `group/${name}`);
      report.error('SVC-POL-002', path, `unknown group ${approver}`, { nearest: nearestName(approver, known) });
    } else if (group !== null) {
      report[severity]('SVC-POL-002', path, `no principal of ${approver} has the role approve for this route`);
    } else if (keys.every(({ principal_id }) => principal_id !== approver)) {
      const principals = keys.map(({ principal_id }) => principal_id);
      const found = { nearest: nearestName(approver, principals) };
      report[severity]('SVC-POL-002', path, `no key has the principal ${approver}`, found);
    } else report.error('SVC-POL-002', path, `no key of ${approver} has the role approve for this route`);
  }
}

/** SVC-POL-002: there are fewer people than the approvals that the route needs. The file does not list whom an issuer knows. */
function lintNumber(name: string, { approvers, approvals }: Route, { report, keys, issuers, groups }: LintContext): void {
  if (approvals === 1 || issuers.length > 0 || keys.length === 0) return;
  const listed = approvers.flatMap((entry) => {
    const group = groupOf(entry);
    return group === null ? [entry] : membersOf(groups, group);
  });
  const able = keysFor(name, keys).map(({ principal_id }) => principal_id);
  const people = new Set(able.filter((id) => approvers.length === 0 || listed.includes(id)));
  if (people.size < approvals)
    report.warning(
      'SVC-POL-002',
      ['routes', name, 'approvals'],
      `needs ${approvals} people, but only ${people.size} of the keys here may decide`,
    );
}

/** The keys that may decide on runs of a route. */
function keysFor(route: string, keys: LintContext['keys']): LintContext['keys'] {
  return keys.filter(({ roles, routes }) => roles.includes('approve') && (routes?.includes(route) ?? true));
}
