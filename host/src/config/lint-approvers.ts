import type { LintContext } from './lint-context.ts';
import { nearestName } from './nearest.ts';
import { mayApprove } from './oidc-issuers.ts';
import type { Route } from './routes-section.ts';

/**
 * SVC-POL-002: approvers who cannot decide, so that nobody could decide on a paused run. Only a warning if no key is configured: then the file is
 * for `--no-auth`. Whom an issuer knows is not in the file: any name that it could give is taken.
 */
export function lintApprovers(name: string, route: Route, { report, keys, issuers }: LintContext): void {
  for (const [index, approver] of route.approvers.entries()) {
    if (mayApprove(issuers, approver, name)) continue;
    const path = ['routes', name, 'approvers', index];
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
