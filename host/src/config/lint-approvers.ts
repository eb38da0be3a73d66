import { isGroup } from '@svc/runtime';
import type { LintContext } from './lint-context.ts';
import { nearestName } from './nearest.ts';
import { mayApprove, mayApproveAsGroup } from './oidc-issuers.ts';
import type { Route } from './routes-section.ts';

/**
 * SVC-POL-002: approvers who cannot decide, so that nobody could decide on a paused run. Only a warning if no key is configured: then the file is
 * for `--no-auth`. Whom an issuer knows is not in the file: any name that it could give is taken.
 */
export function lintApprovers(name: string, route: Route, context: LintContext): void {
  const { report, keys, issuers, groups } = context;
  lintNumber(name, route, context);
  for (const [index, approver] of route.approvers.entries()) {
    if (mayApprove(issuers, approver, name) || mayApproveAsGroup(approver, context)) continue;
    const path = ['routes', name, 'approvers', index];
    if (isGroup(approver)) {
      const known = Object.keys(groups).map((group) => `group/${group}`);
      report.error('SVC-POL-002', path, `unknown group ${approver}`, { nearest: nearestName(approver, known) });
      continue;
    }
    const theirs = keys.filter(({ principal_id }) => principal_id === approver);
    if (theirs.length === 0) {
      const principals = keys.map(({ principal_id }) => principal_id);
      const found = { nearest: nearestName(approver, principals) };
      report[keys.length + issuers.length === 0 ? 'warning' : 'error'](
        'SVC-POL-002',
        path,
        `no key has the principal ${approver}`,
        found,
      );
    } else if (!theirs.some(({ roles, routes }) => roles.includes('approve') && (routes?.includes(name) ?? true))) {
      report.error('SVC-POL-002', path, `no key of ${approver} has the role approve for this route`);
    }
  }
}

/** SVC-POL-002: fewer people than the approvals that the route needs. Whom an issuer knows is not in the file. */
function lintNumber(name: string, { approvers, approvals }: Route, { report, keys, issuers, groups }: LintContext): void {
  if (approvals === 1 || issuers.length > 0 || keys.length === 0) return;
  const listed = approvers.flatMap((entry) => (isGroup(entry) ? (groups[entry.slice('group/'.length)] ?? []) : [entry]));
  const able = keys.filter(({ roles, routes }) => roles.includes('approve') && (routes?.includes(name) ?? true));
  const people = new Set(
    able.map(({ principal_id }) => principal_id).filter((id) => approvers.length === 0 || listed.includes(id)),
  );
  if (people.size < approvals)
    report.warning(
      'SVC-POL-002',
      ['routes', name, 'approvals'],
      `needs ${approvals} people, but only ${people.size} of the keys here may decide`,
    );
}
