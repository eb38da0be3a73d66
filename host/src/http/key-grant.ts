import { SvcError } from '@svc/contracts';
import { ROLES } from '../config/roles.ts';
import { hasRole, isForNamespace, isForRoute, isLimited, type Principal, type Role } from './key-ring.ts';

/** What a key is for. `routes` and `namespaces` null: all of them. */
export interface KeyGrant {
  readonly principal_id: string;
  readonly roles: readonly Role[];
  readonly routes: readonly string[] | null;
  /** Of retrieval, as those of a {@link Principal}. */
  readonly namespaces: readonly string[] | null;
  readonly team: string | null;
}

/** Whether a key of this caller may be exchanged for such a key without gaining anything: roles, routes, namespaces or another team's budget. */
export function covers(caller: Principal, key: Pick<Principal, 'roles' | 'routes' | 'namespaces' | 'team'>): boolean {
  if (!isLimited(caller)) return true;
  const { routes, namespaces, team } = key;
  const roles = key.roles ?? ROLES;
  const hasRoutes = caller.routes === null || (routes?.every((route) => isForRoute(caller, route)) ?? false);
  // An admin without namespaces gives any. Who has neither of the two roles has no use for them.
  const usesNamespaces = roles.includes('rag') || roles.includes('admin');
  const hasNamespaces =
    caller.namespaces === null || !usesNamespaces || (namespaces?.every((name) => isForNamespace(caller, name)) ?? false);
  return hasRoutes && hasNamespaces && team === caller.team && roles.every((role) => hasRole(caller, role));
}

/** @throws {SvcError} SVC-AUTH-002 for an admin of some routes or namespaces who asks for more than it has */
export function requireCover(caller: Principal, grant: KeyGrant): void {
  if (covers(caller, grant)) return;
  throw new SvcError(
    'SVC-AUTH-002',
    'a key limited to routes or namespaces manages keys of its own roles, routes, namespaces and team only',
  );
}

/** Whom keys may name. */
export interface Principals {
  /** Each that this principal has, or had. */
  keysOf(principal_id: string): readonly Principal[];
  /** Whether a token could name it. */
  isOfIssuer(principal_id: string): boolean;
  /** Whether it has made runs. It may have, with no key remembered: one that was taken out of the file is forgotten at a start. */
  hasRuns(principal_id: string): Promise<boolean>;
}

/**
 * A key for a principal reads what that principal was told, so who is limited names only itself, a principal that is new, or one whose every key
 * it covers.
 * @throws {SvcError} SVC-AUTH-002
 */
export async function requirePrincipal(caller: Principal, principal_id: string, principals: Principals): Promise<void> {
  if (!isLimited(caller) || principal_id === caller.principal_id) return;
  const keys = principals.keysOf(principal_id);
  const isFree = keys.length === 0 ? !(await principals.hasRuns(principal_id)) : keys.every((key) => covers(caller, key));
  if (isFree && !principals.isOfIssuer(principal_id)) return;
  throw new SvcError(
    'SVC-AUTH-002',
    'a key limited to routes or namespaces makes keys for itself, for new principals, and for those whose every key it could make',
  );
}
