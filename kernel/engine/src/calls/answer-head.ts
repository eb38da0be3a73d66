import type { Clock } from '@svc/contracts';

/** What every answer and every frame of one begins with. It is the gateway's own: an upstream's ids may change, and could carry text. */
export interface AnswerHead {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  /** The route's name: callers know routes, and which model stands behind one is in the ledger. */
  readonly model: string;
}

export function answerHead({ run_id, route }: { run_id: string; route: { name: string } }, clock: Clock): AnswerHead {
  return { id: `chatcmpl-${run_id}`, created: Math.floor(clock.now() / 1000), model: route.name };
}
