import { SvcError } from '@svc/contracts';
import { hasRole, isForNamespace, isForRoute, type Principal, type Role } from './key-ring.ts';

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
export function covers(caller: Principal, { roles, routes, namespaces, team }: KeyGrant): boolean {
  if (caller.routes === null && caller.namespaces === null) return true;
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
