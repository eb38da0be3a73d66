import { SvcError } from '@svc/contracts';
import { ROLES } from '../config/roles.ts';
import { hasRole, isForNamespace, isForRoute, isLimited, type Principal, type Role } from './key-ring.ts';

/** The access that a key gives. `routes` and `namespaces` null: all. */
export interface KeyGrant {
  readonly principal_id: string;
  readonly roles: readonly Role[];
  readonly routes: readonly string[] | null;
  /** Retrieval namespaces, as in a {@link Principal}. */
  readonly namespaces: readonly string[] | null;
  readonly team: string | null;
}

/** Whether this caller's key may be exchanged for such a key without gaining roles, routes, namespaces or another team's budget. */
export function covers(caller: Principal, key: Pick<Principal, 'roles' | 'routes' | 'namespaces' | 'team'>): boolean {
  if (!isLimited(caller)) return true;
  const { routes, namespaces, team } = key;
  const roles = key.roles ?? ROLES;
  const hasRoutes = caller.routes === null || (routes?.every((route) => isForRoute(caller, route)) ?? false);
  // An admin without a limit on namespaces may grant any of them. Without either of the two roles, namespaces have no effect.
  const usesNamespaces = roles.includes('rag') || roles.includes('admin');
  const hasNamespaces =
    caller.namespaces === null || !usesNamespaces || (namespaces?.every((name) => isForNamespace(caller, name)) ?? false);
  return hasRoutes && hasNamespaces && team === caller.team && roles.every((role) => hasRole(caller, role));
}

/** @throws {SvcError} SVC-AUTH-002 for an admin limited to some routes or namespaces who asks for more */
export function requireCover(caller: Principal, grant: KeyGrant): void {
  if (covers(caller, grant)) return;
  throw new SvcError(
    'SVC-AUTH-002',
    'a key limited to routes or namespaces can manage only keys within its own roles, routes, namespaces and team',
  );
}

/** The principals that keys may name. */
export interface Principals {
  /** Every key that this principal has or had. */
  keysOf(principal_id: string): readonly Principal[];
  /** Whether a token could name the principal. */
  isOfIssuer(principal_id: string): boolean;
  /** Whether the principal has runs. It may have some without a known key: a key removed from the file is forgotten at the next start. */
  hasRuns(principal_id: string): Promise<boolean>;
}

/**
 * Checks which principal a new key may name. A key of a principal can read that principal's answers. So a limited caller may name only itself, a new
 * principal, or one whose keys it covers completely.
 * @throws {SvcError} SVC-AUTH-002
 */
export async function requirePrincipal(caller: Principal, principal_id: string, principals: Principals): Promise<void> {
  if (!isLimited(caller) || principal_id === caller.principal_id) return;
  const keys = principals.keysOf(principal_id);
  const isFree = keys.length === 0 ? !(await principals.hasRuns(principal_id)) : keys.every((key) => covers(caller, key));
  if (isFree && !principals.isOfIssuer(principal_id)) return;
  throw new SvcError(
    'SVC-AUTH-002',
    'a key limited to routes or namespaces can create keys only for its own principal, for new principals, and for principals whose keys are all within its own limits',
  );
}
