import type { Operation } from '@svc/contracts';
import type { Principal } from './key-ring.ts';

/** The caller, for the operations log. */
export function actorOf({ principal_id, identity }: Principal): Operation['actor'] {
  return { principal_id, issuer: identity?.issuer ?? null, subject: identity?.subject ?? null };
}
