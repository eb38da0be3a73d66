import { groupOf } from '@svc/runtime';
import type { Path } from './diagnostic.ts';
import { durationMs } from './duration.ts';
import { mayApproveAsGroup, membersOf } from './groups.ts';
import type { LintContext } from './lint-context.ts';
import { nearestName } from './nearest.ts';
import { mayApprove } from './oidc-issuers.ts';
import type { Route } from './routes-section.ts';

/**
 * SVC-POL-002: no approver of the route can decide, so nobody could decide on a paused run. Only a warning if no key is configured, because the file
 * is then for `--no-auth`. The file does not list whom an issuer knows, so any name that an issuer could give is accepted.
 */
export function lintApprovers(name: string, route: Route, every: LintContext): void {
  const context = route.approval_passkey === 'required' ? signersIn(every) : every;
  lintNumber(name, route, context);
  lintSigners(name, route, context);
  lintNames(name, route, route.approvers, ['routes', name, 'approvers'], context);
  if (route.escalate === undefined) return;
  const path = ['routes', name, 'escalate'];
  lintNames(name, route, route.escalate.approvers, [...path, 'approvers'], context);
  const { report, expire_after_ms } = context;
  if (route.approvers.length === 0)
    report.error('SVC-POL-001', path, 'has no effect without approvers: everyone with the role approve can already decide');
  if (expire_after_ms !== null && durationMs(route.escalate.after) >= expire_after_ms)
    report.error('SVC-POL-001', [...path, 'after'], 'must be shorter than approvals.expire_after, after which the run is denied');
}

function lintNames(name: string, route: Route, approvers: readonly string[], at: Path, context: LintContext): void {
  const { report, keys, issuers, groups } = context;
  const mayDecide = (principal_id: string): boolean =>
    mayApprove(issuers, principal_id, name) || keysFor(name, keys).some((key) => key.principal_id === principal_id);
  const severity = keys.length + issuers.length === 0 ? 'warning' : 'error';
  for (const [index, approver] of approvers.entries()) {
    if (mayDecide(approver) || mayApproveAsGroup(approver, context, mayDecide)) continue;
    const path = [...at, index];
    const group = groupOf(approver);
    if (group !== null && !Object.hasOwn(groups, group)) {
      const known = Object.keys(groups).map((name) => `group/${name}`);
      report.error('SVC-POL-002', path, `unknown group ${approver}`, { nearest: nearestName(approver, known) });
    } else if (group !== null) {
      report[severity]('SVC-POL-002', path, `no principal of ${approver} has the role approve for this route`);
    } else if (keys.every(({ principal_id }) => principal_id !== approver)) {
      const principals = keys.map(({ principal_id }) => principal_id);
      const found = { nearest: nearestName(approver, principals) };
      report[severity]('SVC-POL-002', path, unknown(approver, route), found);
    } else report.error('SVC-POL-002', path, `no key of ${approver} has the role approve for this route`);
  }
}

function unknown(approver: string, { approval_passkey }: Route): string {
  return approval_passkey === 'required'
    ? `no issuer can give ${approver} the role approve for this route, and a key cannot sign`
    : `no key has the principal ${approver}`;
}

/** Only people who sign in on the pages have passkeys. */
function signersIn(context: LintContext): LintContext {
  return { ...context, keys: [], issuers: context.issuers.filter(({ client_id }) => client_id !== undefined) };
}

/** SVC-POL-002: signatures are required, but nobody can register a passkey. */
function lintSigners(name: string, { approval_passkey }: Route, { report, passkeys, issuers }: LintContext): void {
  if (approval_passkey !== 'required') return;
  const path = ['routes', name, 'approval_passkey'];
  if (passkeys === null) report.error('SVC-POL-002', path, 'nobody could decide: add auth.passkeys with the origin of the pages');
  else if (issuers.length === 0)
    report.error('SVC-POL-002', path, 'nobody could decide: people need an issuer in auth.oidc with a client_id to sign in with');
}

/** SVC-POL-002: fewer people than the approvals that the route needs. Whom an issuer knows is not in the file. */
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
