import { type AnswerBody, isSvcError, SvcError } from '@svc/contracts';
import { RESPONSES } from '@svc/protocols';
import type { Gateway, RunView } from '@svc/runtime';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../actor.ts';
import type { AssertStill } from '../assert-still.ts';
import { type AtOnce, ERASURES_AT_ONCE } from '../at-once.ts';
import { requireRole } from '../auth.ts';
import { RUN, RUN_HEADERS } from '../description/answers.ts';
import { ANSWER, json, RECEIPTS, route as sample, run_id as sampleId } from '../description/samples.ts';
import { withoutReasoning } from '../doors/kept-reasoning.ts';
import { receiptsOf } from '../doors/receipts-of.ts';
import type { Routes } from '../find-route.ts';
import { isForRoute, type Principal } from '../key-ring.ts';
import { receipts } from '../receipts.ts';
import { noteRoute } from '../request-log.ts';
import { DeletedResponse, eg, ModelResponse, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

export const sampleResponse = {
  id: `resp_${sampleId}`,
  object: 'response',
  created_at: 1767603600,
  status: 'completed',
  incomplete_details: null,
  error: null,
  model: sample,
  output: [
    {
      id: `msg_${sampleId}_0`,
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: ANSWER, annotations: [], logprobs: [] }],
    },
  ],
  usage: { input_tokens: 120, output_tokens: 40, total_tokens: 160 },
  ...RECEIPTS,
};
const params = Type.Object({
  response_id: Type.String({ description: '`resp_` and the run id.', ...eg(sampleResponse.id) }),
});
const NOT_THERE =
  'this key cannot read a response with this id. It is unknown, has no answer, was not created at /v1/responses, or is no longer stored. For the status of its run, use GET /v1/runs/{run_id} (the id without resp_)';

/** Query parameters of OpenAI's API that are refused. */
const REFUSED = {
  stream: 'must not be true: a stored response cannot be streamed again; leave it out',
  include: 'is not supported here: set it in the request that creates the response',
} as const;

interface Parts {
  readonly active: Routes;
  readonly gateway: Pick<Gateway, 'runs'>;
  readonly assertStill: AssertStill;
  /** Limits the erasures of a principal that run at the same time. */
  readonly erasures: AtOnce;
}

/** The caller's own responses in the Responses API, while they are stored. */
export function storedResponseEndpoints(app: Server, { active, gateway: { runs }, assertStill, erasures }: Parts): void {
  /** @throws {SvcError} SVC-RUN-001, with the same message for an unknown response and for one of another caller */
  async function ownResponse(request: FastifyRequest, response_id: string): Promise<Found> {
    const principal = requireRole(request);
    const run_id = /^resp_(.+)$/.exec(response_id)?.[1] ?? '';
    const view = await runs.stored.read(run_id).catch(nullIfNotThere);
    if (view === null || view.row.principal_id !== principal.principal_id || !isForRoute(principal, view.row.route))
      throw notThere();
    noteRoute(request, active.routes.get(view.row.route));
    const found = await runs.stored.response(run_id, principal.principal_id).catch(nullIfNotThere);
    if (found === null || found.completion === null || found.protocol !== RESPONSES) throw notThere();
    return { principal, view, completion: found.completion };
  }

  app.get(
    '/v1/responses/:response_id',
    {
      config: {
        roles: ['call'],
        errors: [...RUN, 'SVC-RUN-005'],
        headers: [...RUN_HEADERS, 'x-svc-left-out'],
        example: { response: json(sampleResponse) },
      },
      schema: {
        operationId: 'getResponse',
        tags: ['chat'],
        summary: 'Get a stored response',
        description:
          'The response as its caller received it, without encrypted reasoning. It is stored if `server.record_content` is set, and after a paused run was approved. In all other cases, the response is 404, always with the same message.',
        params,
        response: { 200: ref(ModelResponse) },
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
      config: {
        roles: ['call'],
        metered: true,
        errors: [...RUN, 'SVC-RUN-002', 'SVC-RUN-004', 'SVC-RUN-005', 'SVC-LIMIT-003', 'SVC-BUSY-001'],
        headers: ['x-svc-run-id'],
        example: { response: json({ id: sampleResponse.id, object: 'response', deleted: true }) },
      },
      schema: {
        operationId: 'deleteResponse',
        tags: ['chat'],
        summary: 'Erase a stored response',
        description: `Permanently deletes the content of its run, including the request, as \`DELETE /v1/runs/{run_id}/content\` does. Later responses that build on it can no longer be continued. The evidence stays. A principal may run ${ERASURES_AT_ONCE} erasures at the same time.`,
        params,
        response: { 200: ref(DeletedResponse) },
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
        assertStill: () => assertStill(principal),
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

/** Null for a run that is unknown, belongs to another caller, or has no answer yet. */
function nullIfNotThere(error: unknown): null {
  if (isSvcError(error) && ['SVC-RUN-001', 'SVC-AUTH-003', 'SVC-RUN-004'].includes(error.code)) return null;
  throw error;
}
