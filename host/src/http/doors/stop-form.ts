import { type Protocol, type RequestBody, SvcError } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { stopText } from './stop-text.ts';

/** How the client learns that its run was stopped. */
export interface StopForm {
  /** The field of a chat message that contains the text. `error`: no message does. */
  readonly field: 'content' | 'refusal' | 'error';
  /** The gateway's origin, as the client reaches it. */
  readonly origin: string;
}

/** A client that requested JSON parses `content`, so it gets a refusal instead of a text. */
export function stopForm(
  { stops }: Pick<RuntimeRoute, 'stops'>,
  { protocol, request }: { readonly protocol: Protocol; readonly request: RequestBody },
  origin: string,
): StopForm {
  if (stops !== 'text') return { field: stops, origin };
  return { field: protocol.factsOf(request).wantsJson ? 'refusal' : 'content', origin };
}

/** A stop as an error of the run, if the route has `stops: error`. Clients do not retry its status. */
export function inForm(outcome: RunOutcome, { field, origin }: StopForm): RunOutcome {
  if (field !== 'error' || outcome.stop === null) return outcome;
  const code = outcome.stop.kind === 'paused' ? 'SVC-RUN-009' : 'SVC-RUN-008';
  return { ...outcome, error: new SvcError(code, stopText(outcome, origin), { run_id: outcome.row.run_id }) };
}
