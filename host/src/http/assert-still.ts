import { SvcError } from '@svc/contracts';
import type { OperationalStates } from '@svc/runtime/records';
import type { KeyRing, Principal } from './key-ring.ts';

/**
 * Refuses a caller who was let in and may not go on: its key was revoked, replaced or changed, its token has expired, its session ended, its
 * issuer's settings changed, or its principal was disabled. Asked once a body is there, and again where something is recorded in the
 * operations log, since a caller decides how long its body takes. A promise only for a session, which the store has.
 * @throws {SvcError} SVC-AUTH-001, SVC-OPS-002
 */
export type AssertStill = (caller: Principal) => Promise<void> | undefined;

/** Who lets callers in, and knows for how long. */
interface Doorkeepers {
  readonly ring: Pick<KeyRing, 'stillKnows'>;
  /** Of tokens and sessions. */
  readonly issuers: { stillKnows(caller: Principal): boolean | Promise<boolean> };
}

/** @param doorkeepers null: everybody is let in */
export function assertStillBy(doorkeepers: Doorkeepers | null, states: Pick<OperationalStates, 'assertPrincipal'>): AssertStill {
  return (caller) => {
    const check = (isKnown: boolean): undefined => {
      states.assertPrincipal(caller.principal_id);
      if (!isKnown) throw new SvcError('SVC-AUTH-001', 'the key, token or session of this request is no longer valid');
    };
    if (doorkeepers === null) return check(true);
    const { ring, issuers } = doorkeepers;
    const known = caller.identity === null ? ring.stillKnows(caller) : issuers.stillKnows(caller);
    return known instanceof Promise ? known.then(check) : check(known);
  };
}
