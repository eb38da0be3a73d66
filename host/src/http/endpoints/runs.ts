import { CHAT } from '@svc/protocols';
import { responseText } from '@svc/runtime/content';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../actor.ts';
import { SMALL_BODY_BYTES } from '../admission.ts';
import { approversOf } from '../approvers.ts';
import { type AtOnce, ERASURES_AT_ONCE } from '../at-once.ts';
import { requireRole, requireRoute } from '../auth.ts';
import { askedBy } from '../doors/asked-route.ts';
import { chatMessages } from '../doors/chat.ts';
import { tellUnsupported, unsupportedBy } from '../doors/unsupported-by.ts';
import { hasRole, type Principal, type Role } from '../key-ring.ts';
import { admitRun, releasedAfter } from '../limits.ts';
import { reasonOf } from '../reason.ts';
import { receipts } from '../receipts.ts';
import { noteRoute, noteRun } from '../request-log.ts';
import { requireOwnerOrApprover, seesWhole, shownRun } from '../run-access.ts';
import {
  CreatedRun,
  CreateRun,
  Decide,
  DecidedRun,
  ErasedRun,
  ErrorBody,
  PendingRun,
  Run,
  RunResponse,
  reasonOnRecord,
  ref,
  SentRequest,
} from '../schemas.ts';
import { findRouteToCall, type Server, type Surface } from '../surface.ts';
import { toldEvents } from '../told-events.ts';

const params = Type.Object({ run_id: Type.String({ description: 'Identifier of the run.' }) });
const errors = { 403: ref(ErrorBody), 404: ref(ErrorBody), 409: ref(ErrorBody) };

export function runEndpoints(app: Server, surface: Surface, erasures: AtOnce): void {
  const { runs } = surface.gateway;
  /** 404 comes before 403, and both before what is said of the run's status. */
  const callerOf = async (request: FastifyRequest, run_id: string, ...roles: readonly [Role, ...Role[]]) => {
    const { row } = await runs.stored.read(run_id);
    noteRoute(request, surface.routes.get(row.route));
    const principal = requireRole(request, ...roles);
    requireRoute(principal, row.route);
    return { principal, row };
  };
  const readerOf = async (request: FastifyRequest, run_id: string): Promise<Principal> => {
    const { principal, row } = await callerOf(request, run_id, 'call', 'approve');
    requireOwnerOrApprover(principal, row);
    return principal;
  };

  app.post(
    '/v1/runs',
    {
      config: { metered: true, keepsDigits: true },
      schema: {
        operationId: 'createRun',
        tags: ['runs'],
        summary: 'Create a governed run',
        description:
          'Returns the run, whatever its status, including `error`. The response is 429 if the run would pause and too many runs are already paused. If the guard that stopped the run has a message for the caller, its verdict has `hint: {text, retry_at?}`, in this response only.',
        headers: Type.Object({
          'idempotency-key': Type.Optional(
            Type.String({
              pattern: '^[\\x21-\\x7e]{1,255}$',
              description:
                'A random key, unique per request. A retry with the same key, route and body returns the existing run; with another route or body it is 409.',
            }),
          ),
        }),
        body: ref(CreateRun),
        response: { 200: ref(CreatedRun), 404: ref(ErrorBody), 409: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const principal = requireRole(request, 'call');
      const { route = 'default', messages, approvers = [], background = false } = request.body;
      const served = findRouteToCall(surface, route);
      const { runtime } = served;
      noteRoute(request, served);
      requireRoute(principal, runtime.name);
      const key = request.headers['idempotency-key'];
      // What is left out is the same as its default.
      const body = { ...request.body, route, approvers, background };
      const asked = {
        ...askedBy({ principal, runtime }, request),
        protocol: CHAT,
        request: { model: route, messages: chatMessages(messages) },
        unsupported: [],
        approvers: approversOf(approvers, principal.principal_id, runtime, surface),
        keepAnswer: background,
        keepRequest: false,
        synchronous: false,
        idempotency_key: key === undefined ? null : { value: key, endpoint: 'POST /v1/runs', body },
        sink: null,
      };
      const { release } = admitRun(surface.limits, principal, asked, runtime.name, reply);
      const begun = background ? runs.startInBackground(asked, release) : releasedAfter(runs.start(asked), release);
      noteRun(request, begun);
      const outcome = await begun;
      const { row } = outcome;
      receipts(outcome, reply);
      tellUnsupported(reply, unsupportedBy(outcome));
      if (outcome.error?.code === 'SVC-RATE-001' && !background) throw outcome.error;
      const events = toldEvents(outcome);
      return { run_id: row.run_id, status: row.status, response: responseText(outcome), principal_id: row.principal_id, events };
    },
  );

  app.get(
    '/v1/runs/:run_id',
    {
      schema: {
        operationId: 'getRun',
        tags: ['runs'],
        summary: 'Tell the status and events of a run',
        description:
          'For running and ended runs. The creator, the approvers and keys with the role `audit` see the whole run; others see its route and status, with `principal_id`, `approvers` and `events` empty.',
        params,
        response: { 200: ref(Run), 404: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const principal = requireRole(request, 'call', 'approve', 'audit');
      const view = await runs.stored.read(request.params.run_id);
      const { row } = view;
      noteRoute(request, surface.routes.get(row.route));
      requireRoute(principal, row.route);
      if (seesWhole(principal, row)) receipts({ row, error: null, paid: false }, reply);
      else reply.header('x-svc-run-id', row.run_id);
      return shownRun(principal, view);
    },
  );

  app.post(
    '/v1/runs/:run_id/resume',
    {
      config: { metered: true, alwaysAdmitted: true },
      bodyLimit: SMALL_BODY_BYTES,
      schema: {
        operationId: 'resumeRun',
        tags: ['runs'],
        summary: 'Approve or deny a paused run',
        description: 'The first decision wins; later ones get 409.',
        params,
        body: ref(Decide),
        response: { 200: ref(DecidedRun), ...errors },
      },
    },
    async (request, reply) => {
      const { run_id } = request.params;
      const { principal } = await callerOf(request, run_id, 'approve');
      const { decision, digest } = request.body;
      const resumed = runs.resume(run_id, principal.principal_id, {
        decision,
        digest: digest ?? null,
        identity: principal.identity,
      });
      noteRun(request, resumed);
      const outcome = await resumed;
      const { row, events } = outcome;
      receipts(outcome, reply);
      return { run_id, status: row.status, response: responseText(outcome), events: [...events] };
    },
  );

  app.get(
    '/v1/runs/:run_id/pending',
    {
      schema: {
        operationId: 'getPendingRun',
        tags: ['runs'],
        summary: 'Tell what a paused run waits for',
        description: 'For approvers of the run.',
        params,
        response: { 200: ref(PendingRun), ...errors },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const { principal } = await callerOf(request, run_id, 'approve');
      const { row, messages, parameters, ...pending } = await runs.stored.pending(run_id, principal.principal_id);
      return {
        run_id: row.run_id,
        route: row.route,
        principal_id: row.principal_id,
        ...pending,
        messages: [...messages],
        parameters: { ...parameters },
      };
    },
  );

  app.get(
    '/v1/runs/:run_id/response',
    {
      schema: {
        operationId: 'getRunResponse',
        tags: ['runs'],
        summary: 'Fetch the answer of an ended run',
        description: 'For the creator and the approvers, while it is stored (24 hours by default).',
        params,
        response: { 200: ref(RunResponse), ...errors },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const principal = await readerOf(request, run_id);
      const found = await runs.stored.response(run_id, principal.principal_id);
      const { row, protocol, completion } = found;
      return { run_id, status: row.status, response: responseText(found), protocol: protocol.id, completion };
    },
  );

  app.get(
    '/v1/runs/:run_id/request',
    {
      schema: {
        operationId: 'getRunRequest',
        tags: ['runs'],
        summary: 'Tell what the model of an ended run was sent',
        description:
          'With the edits of the guards, for the creator and the approvers. Stored as long as answers, and only if the chat request had the header `x-svc-keep: request` or the server records content.',
        params,
        response: { 200: ref(SentRequest), ...errors },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const principal = await readerOf(request, run_id);
      const { row, protocol, messages, gone_run_id, parameters } = await runs.stored.sent(run_id, principal.principal_id);
      return {
        run_id,
        status: row.status,
        protocol,
        messages: messages === null ? null : [...messages],
        gone_run_id,
        parameters: { ...parameters },
      };
    },
  );

  app.delete(
    '/v1/runs/:run_id/content',
    {
      config: { metered: true },
      schema: {
        operationId: 'eraseRunContent',
        tags: ['runs'],
        summary: 'Erase the content of a run',
        description: `Permanently deletes messages, answers and all other stored content. The evidence stays, and an event records who erased it. A paused run is denied. For the creator, the approvers, and keys with the role \`admin\`. At most ${ERASURES_AT_ONCE} of a principal at once.`,
        params,
        querystring: Type.Object({ reason: Type.Optional(reasonOnRecord) }),
        response: { 200: ref(ErasedRun), ...errors },
      },
    },
    async (request, reply) => {
      const { run_id } = request.params;
      const { principal } = await callerOf(request, run_id, 'call', 'approve', 'admin');
      const by = {
        principal_id: principal.principal_id,
        scope: eraseScope(principal),
        actor: actorOf(principal),
        reason: reasonOf(request.query.reason),
        assertStill: () => surface.assertStill(principal),
      };
      const erased = await erasures.run(principal.principal_id, () => runs.erase(run_id, by));
      reply.header('x-svc-run-id', run_id);
      return { ...erased };
    },
  );
}

function eraseScope(principal: Principal): 'own' | 'decidable' | 'all' {
  if (hasRole(principal, 'admin')) return 'all';
  return hasRole(principal, 'approve') ? 'decidable' : 'own';
}
