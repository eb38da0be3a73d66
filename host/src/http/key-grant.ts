import { SvcError } from '@svc/contracts';
import { hasRole, type Principal, type Role } from './key-ring.ts';

/** What a key is for. `routes` null: all of them. */
export interface KeyGrant {
  readonly principal_id: string;
  readonly roles: readonly Role[];
  readonly routes: readonly string[] | null;
  readonly team: string | null;
}

/** Whether a key of this caller may be exchanged for such a key without gaining anything: roles, routes or another team's budget. */
export function covers(caller: Principal, { roles, routes, team }: KeyGrant): boolean {
  if (caller.routes === null) return true;
  const mine = new Set(caller.routes);
  const hasRoutes = routes?.every((route) => mine.has(route)) ?? false;
  return hasRoutes && roles.every((role) => hasRole(caller, role)) && (caller.team === null || team === caller.team);
}

/** @throws {SvcError} SVC-AUTH-002 for an admin of some routes who asks for more than it has */
export function requireCover(caller: Principal, grant: KeyGrant): void {
  if (covers(caller, grant)) return;
  throw new SvcError('SVC-AUTH-002', 'a key limited to routes manages keys of its own routes, roles and team only');
}
