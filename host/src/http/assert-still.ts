import { SvcError } from '@svc/contracts';
import type { OperationalStates } from '@svc/runtime/records';
import type { KeyRing, Principal } from './key-ring.ts';

/**
 * Refuses an authenticated caller that has lost its access in the meantime: its key was revoked, replaced or changed, its token has expired, its
 * session has ended, the settings of its issuer have changed, or its principal was disabled. Checked when the body has arrived, and again before a
 * record is added to the operations log, because the caller determines how long its body takes. Returns a promise only for a session, which is in the
 * store.
 * @throws {SvcError} SVC-AUTH-001, SVC-OPS-002
 */
export type AssertStill = (caller: Principal) => Promise<void> | undefined;

/** What can give a caller access. */
interface AccessSources {
  readonly ring: Pick<KeyRing, 'stillKnows'>;
  /** The issuers of tokens and sessions. */
  readonly issuers: { stillKnows(caller: Principal): boolean | Promise<boolean> };
}

/** @param sources null: no authentication */
export function assertStillBy(sources: AccessSources | null, states: Pick<OperationalStates, 'assertPrincipal'>): AssertStill {
  return (caller) => {
    const check = (isKnown: boolean): undefined => {
      states.assertPrincipal(caller.principal_id);
      if (!isKnown) throw new SvcError('SVC-AUTH-001', 'the key, token or session of this request is no longer valid');
    };
    if (sources === null) return check(true);
    const { ring, issuers } = sources;
    const known = caller.identity === null ? ring.stillKnows(caller) : issuers.stillKnows(caller);
    return known instanceof Promise ? known.then(check) : check(known);
  };
}
