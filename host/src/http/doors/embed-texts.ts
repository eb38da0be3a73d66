import { type ChatRequest, SvcError } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { CHAT } from '@svc/protocols';
import { EmbeddingCall } from '@svc/runtime/answers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientGone } from '../client-gone.ts';
import { admitRun, releasedAfter } from '../limits.ts';
import { originOf } from '../own-origin.ts';
import { receipts } from '../receipts.ts';
import { noteRun } from '../request-log.ts';
import { type AskedRoute, askedBy } from './asked-route.ts';
import type { DoorParts } from './serve.ts';
import { stopText } from './stop-text.ts';
import { reportUnsupported, unsupportedBy } from './unsupported-by.ts';

/**
 * Turns texts into vectors, as one run of a route.
 * @param asked its `input` has the texts
 * @param unsupported fields of the request that the door does not support
 * @throws {SvcError} SVC-ROUTE-002; SVC-RUN-007 if a guard stopped the run; the errors of a run
 */
export async function embedTexts(
  asked: ChatRequest,
  route: AskedRoute,
  { gateway, limits }: DoorParts,
  request: FastifyRequest,
  reply: FastifyReply,
  unsupported: readonly string[] = [],
): Promise<NonNullable<EmbeddingCall['answer']>> {
  const { principal, runtime } = route;
  if (runtime.endpoints[0]?.instance.embed === undefined)
    throw new SvcError('SVC-ROUTE-002', 'the provider of this route does not support embeddings; use another route');
  const embedding = new EmbeddingCall();
  const { release } = admitRun(limits, principal, { protocol: CHAT, request: asked }, runtime.name, reply);
  reportUnsupported(reply, unsupported);
  const begun = gateway.runs.start(
    {
      ...askedBy(route, request),
      protocol: CHAT,
      request: asked,
      embedding,
      unsupported,
      approvers: [],
      synchronous: false,
      sink: null,
    },
    clientGone(reply),
  );
  noteRun(request, begun);
  const outcome = await releasedAfter(begun, release);
  receipts(outcome, reply);
  reportUnsupported(reply, [...unsupported, ...unsupportedBy(outcome)]);
  if (outcome.error !== null) throw outcome.error;
  const { answer } = embedding;
  if (outcome.stop !== null || answer === null) throw refused(outcome, originOf(request));
  return answer;
}

function refused(outcome: RunOutcome, origin: string): SvcError {
  return new SvcError('SVC-RUN-007', stopText(outcome, origin), { run_id: outcome.row.run_id });
}
