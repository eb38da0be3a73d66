import { mergedFindings, type RunEvent } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { Gateway } from '@svc/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimits } from '../../limits/rate-limits.ts';
import { clientGone } from '../client-gone.ts';
import { tokensIn, withinLimits } from '../limits.ts';
import { receipts } from '../receipts.ts';
import { reportedEvents } from '../reported-events.ts';
import { noteRun } from '../request-log.ts';
import { type AskedRoute, askedBy } from './asked-route.ts';
import type { CheckedBody } from './checked-body.ts';

export interface CheckParts {
  readonly gateway: Pick<Gateway, 'runs'>;
  readonly limits: RateLimits;
}

/** Asks the guards of a route about a body, without a model call. `limits` apply, with the body's texts as input. @throws {SvcError} */
export async function check(
  { protocol, request: body, answer }: CheckedBody,
  evidence: boolean,
  route: AskedRoute,
  { gateway, limits }: CheckParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<RunOutcome> {
  const asked = { ...askedBy(route, request), protocol, request: body, answer, evidence };
  const tokens = (): number => tokensIn(answer ?? [protocol.readIn(body), body.tools]);
  const limited = { limits, principal: route.principal, route: route.runtime.name, reply };
  const outcome = await withinLimits(limited, tokens, (bill) => {
    bill(tokens());
    const begun = gateway.runs.check(asked, clientGone(reply));
    if (evidence) noteRun(request, begun);
    return begun;
  });
  if (evidence) receipts(outcome, reply);
  if (outcome.error !== null) throw outcome.error;
  return outcome;
}

/** The guards' verdict in the form that the caller of a check gets. */
export function verdictOf(outcome: Pick<RunOutcome, 'events' | 'stop'>) {
  const { stop } = outcome;
  const guards = reportedEvents(outcome).filter(isAnswer);
  const sanitized = guards.findLast(({ event_type, data }) => event_type === 'verdict' && data.verdict === 'sanitize');
  const { node: guard, code } = stop ?? { node: sanitized?.node ?? null, code: sanitized?.data.code ?? null };
  return {
    verdict:
      stop === null ? (sanitized === undefined ? 'allow' : 'sanitize') : stop.kind === 'paused' ? 'require_approval' : 'block',
    code,
    guard,
    ...(stop?.hint !== undefined && { hint: stop.hint.text }),
    findings: mergedFindings(guards.flatMap(({ data }) => data.findings ?? [])),
    guards,
    not_asked: outcome.events.flatMap(({ event_type, data }) => (event_type === 'checked' ? (data.not_asked ?? []) : [])),
  } as const;
}

function isAnswer({ event_type }: RunEvent): boolean {
  return event_type === 'verdict' || event_type === 'observed' || event_type === 'skipped';
}
