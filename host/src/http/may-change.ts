import type { StateTarget } from '@svc/contracts';
import { isForRoute, isLimited, type Principal } from './key-ring.ts';

/** Whether an admin with this key may change the state of a target. A limited key may change only its own routes. */
export function mayChange(key: Principal, { kind, name }: StateTarget): boolean {
  return !isLimited(key) || (kind === 'route' && isForRoute(key, name));
}
