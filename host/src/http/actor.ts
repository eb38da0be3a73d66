import type { Operation } from '@svc/contracts';
import type { Principal } from './key-ring.ts';

/** Whoever calls, as the operations log names them. */
export function actorOf({ principal_id, identity }: Principal): Operation['actor'] {
  return { principal_id, issuer: identity?.issuer ?? null, subject: identity?.subject ?? null };
}
