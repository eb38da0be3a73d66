import type { OperationalStates } from '@svc/kernel';
import { unknownKey } from './auth.ts';
import type { KeyRing, Principal } from './key-ring.ts';

/**
 * Refuses a caller who was let in and may not go on: its key was revoked, replaced or changed, or its principal disabled. Whatever is recorded
 * in the operations log asks this where it is recorded, since a caller decides how long its body takes.
 * @throws {SvcError} SVC-AUTH-001, SVC-OPS-002
 */
export type AssertStill = (caller: Principal) => void;

export function assertStillBy(ring: KeyRing, states: Pick<OperationalStates, 'assertPrincipal'>): AssertStill {
  return (caller) => {
    states.assertPrincipal(caller.principal_id);
    if (!ring.stillKnows(caller)) throw unknownKey();
  };
}
