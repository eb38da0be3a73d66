import type { AnswerIdentity, Clock } from '@svc/contracts';

/**
 * What every answer, and every frame of one that has a head, begins with. It is the gateway's own. `model` is the route's name: callers know
 * routes, and which model stands behind one is in the ledger.
 */
export function identityOf({ run_id, route }: { run_id: string; route: { name: string } }, clock: Clock): AnswerIdentity {
  return { id: run_id, created: Math.floor(clock.now() / 1000), model: route.name };
}
