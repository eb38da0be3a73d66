import type { Operation } from '@svc/contracts';
import type { Principal } from './key-ring.ts';

/** Whoever calls, as the operations log names them. */
export function actorOf({ principal_id }: Principal): Operation['actor'] {
  return { principal_id, issuer: null, subject: null };
}
