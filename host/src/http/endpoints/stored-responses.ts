import { type AnswerBody, isSvcError, SvcError } from '@svc/contracts';
import { RESPONSES } from '@svc/protocols';
import type { RunView } from '@svc/runtime';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../actor.ts';
import { type AtOnce, ERASURES_AT_ONCE } from '../at-once.ts';
import { requireRole } from '../auth.ts';
import { withoutReasoning } from '../doors/kept-reasoning.ts';
import { receiptsOf } from '../doors/receipts-of.ts';
import { isForRoute, type Principal } from '../key-ring.ts';
import { receipts } from '../receipts.ts';
import { noteRoute } from '../request-log.ts';
import { DeletedResponse, ErrorBody, ModelResponse, ref } from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';

const params = Type.Object({ response_id: Type.String({ description: '`resp_` and the run id.' }) });
const NOT_THERE =
  'this key can read no response with this id: it is unknown, has no answer, was not made at /v1/responses, or is no longer stored; for the status of its run, GET /v1/runs/{run_id} (the id without resp_)';

/** What is not told of a stored response, by the parameter that asks for it. */
const REFUSED = {
  stream: 'must not be true: a response that is stored is not streamed again; leave it out',
  include: 'is not served here: ask for it in the request of the response',
} as const;

/** Own responses of the Responses API, while their answers are kept. */
export function storedResponseEndpoints(app: Server, surface: Surface, erasures: AtOnce): void {
  const { runs } = surface.gateway;

  /** @throws {SvcError} SVC-RUN-001, in the same words for whatever is not there or not the caller's */
  async function ownResponse(request: FastifyRequest, response_id: string): Promise<Found> {
    const principal = requireRole(request, 'call');
    const run_id = /^resp_(.+)$/.exec(response_id)?.[1] ?? '';
    const view = await runs.stored.read(run_id).catch(nullIfNotThere);
    if (view === null || view.row.principal_id !== principal.principal_id || !isForRoute(principal, view.row.route))
      throw notThere();
    noteRoute(request, surface.routes.get(view.row.route));
    const found = await runs.stored.response(run_id, principal.principal_id).catch(nullIfNotThere);
    if (found === null || found.completion === null || found.protocol !== RESPONSES) throw notThere();
    return { principal, view, completion: found.completion };
  }

  app.get(
    '/v1/responses/:response_id',
    {
      schema: {
        operationId: 'getResponse',
        tags: ['chat'],
        summary: 'Get a stored response',
        description:
          'The response as its caller got it, without encrypted reasoning, while its answer is kept: with `server.record_content`, and where a run went on after a decision. Anything else is 404, in the same words.',
        params,
        response: { 200: ref(ModelResponse), 400: ref(ErrorBody), 404: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      refuseParts(request.query);
      const { view, completion } = await ownResponse(request, request.params.response_id);
      const { row, events } = view;
      receipts({ row, error: null, paid: false, completion }, reply);
      return reply.send({ ...withoutReasoning(completion), ...receiptsOf({ row, events, completion }) } as never);
    },
  );

  app.delete(
    '/v1/responses/:response_id',
    {
      config: { metered: true },
      schema: {
        operationId: 'deleteResponse',
        tags: ['chat'],
        summary: 'Erase a stored response',
        description: `Erases the content of its run for good, as \`DELETE /v1/runs/{run_id}/content\` does: its request, too, and what continues it cannot be continued any more. The evidence stays. At most ${ERASURES_AT_ONCE} of a principal at once.`,
        params,
        response: { 200: ref(DeletedResponse), 404: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const { response_id } = request.params;
      const { principal, view } = await ownResponse(request, response_id);
      const { run_id } = view.row;
      const by = {
        principal_id: principal.principal_id,
        scope: 'own',
        actor: actorOf(principal),
        reason: null,
        assertStill: () => surface.assertStill(principal),
      } as const;
      await erasures.run(principal.principal_id, () => runs.erase(run_id, by));
      reply.header('x-svc-run-id', run_id);
      return { id: response_id, object: 'response' as const, deleted: true as const };
    },
  );
}

interface Found {
  readonly principal: Principal;
  readonly view: RunView;
  readonly completion: AnswerBody;
}

/** @throws {SvcError} SVC-REQ-001 */
function refuseParts(query: unknown): void {
  for (const [name, value] of Object.entries(query ?? {})) {
    const asked = name.split('[', 1)[0] ?? name;
    if (asked === 'include' || (asked === 'stream' && value !== 'false'))
      throw new SvcError('SVC-REQ-001', `${asked} ${REFUSED[asked]}`, { param: asked });
  }
}

function notThere(): SvcError {
  return new SvcError('SVC-RUN-001', NOT_THERE, { param: 'response_id' });
}

/** Unknown, another's, or without an answer yet. */
function nullIfNotThere(error: unknown): null {
  if (isSvcError(error) && ['SVC-RUN-001', 'SVC-AUTH-003', 'SVC-RUN-004'].includes(error.code)) return null;
  throw error;
}
