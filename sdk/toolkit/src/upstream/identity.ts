import type { CallContext, ChatRequest, Clock } from '@svc/contracts';

/** Default values for the head of an answer, for servers that leave it out. */
export interface Identity {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  /** The upstream model that was asked. */
  readonly model: string;
}

/** The head of the answer to a call: named after its run, made now. */
export function identityOf(request: ChatRequest, { run_id }: CallContext, clock: Clock): Identity {
  return { id: `chatcmpl-${run_id}`, created: Math.floor(clock.now() / 1000), model: request.model };
}
