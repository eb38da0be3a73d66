import type { CallContext, ChatRequest, Clock } from '@svc/contracts';

/** The head of an answer, for servers that leave it out. */
export interface Identity {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  /** The upstream model of the request. */
  readonly model: string;
}

/** The head of a new answer, named after its run. */
export function identityOf(request: ChatRequest, { run_id }: CallContext, clock: Clock): Identity {
  return { id: `chatcmpl-${run_id}`, created: Math.floor(clock.now() / 1000), model: request.model };
}
