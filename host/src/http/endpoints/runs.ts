import { responseText } from '@svc/kernel';
import { SvcError } from '@svc/kernel/contracts';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { SMALL_BODY_BYTES } from '../admission.ts';
import { requireRole, requireRoute } from '../auth.ts';
import type { Principal, Role } from '../key-ring.ts';
import { assertKnownRoles } from '../messages.ts';
import { receipts } from '../receipts.ts';
import { noteRoute } from '../request-log.ts';
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
  ref,
  SentRequest,
} from '../schemas.ts';
import { findRoute, type Server, type Surface } from '../surface.ts';
import { toldEvents } from '../told-events.ts';
import { traceparentOf } from '../trace-context.ts';

const params = Type.Object({ run_id: Type.String({ description: 'Identifier of the run.' }) });
const errors = { 403: ref(ErrorBody), 404: ref(ErrorBody), 409: ref(ErrorBody) };

export function runEndpoints(app: Server, surface: Surface): void {
  const { runs } = surface.gateway;
  /** 404 comes before 403, and both before what is said of the run's status. */
  const callerOf = async (request: FastifyRequest, run_id: string, ...roles: readonly [Role, ...Role[]]): Promise<Principal> => {
    const { row } = await runs.read(run_id);
    noteRoute(request, surface, row.route);
    const principal = requireRole(request, ...roles);
    requireRoute(principal, row.route);
    return principal;
  };

  app.post(
    '/v1/runs',
    {
      config: { metered: true },
      schema: {
        operationId: 'createRun',
        tags: ['runs'],
        summary: 'Create a governed run',
        description:
          'Answers with the run, whatever its status; `error` included. Where a guard stopped it and has something to tell its caller, that verdict has `hint: {text, retry_at?}` here, and nowhere else.',
        headers: Type.Object({
          'idempotency-key': Type.Optional(
            Type.String({
              pattern: '^[\\x21-\\x7e]{1,255}$',
              description: 'A key of your own: asked again with it, the same run is returned and no new one is made.',
            }),
          ),
        }),
        body: ref(CreateRun),
        response: { 200: ref(CreatedRun), 404: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const { principal_id, ...principal } = requireRole(request, 'call');
      const { route = 'default', messages, approvers = [], background = false } = request.body;
      const { runtime } = findRoute(surface, route);
      noteRoute(request, surface, route);
      requireRoute({ principal_id, ...principal }, route);
      assertKnownRoles(messages);
      const asked = {
        route: runtime,
        principal_id,
        request: { model: route, messages },
        approvers: boundedApprovers(approvers, runtime.approvers),
        keepAnswer: background,
        keepRequest: false,
        on_the_line: false,
        idempotency_key: request.headers['idempotency-key'] ?? null,
        traceparent: traceparentOf(request),
        sink: null,
        bytes: request.bytes,
      };
      const outcome = await (background ? runs.startInBackground(asked) : runs.start(asked));
      const { row, completion } = outcome;
      receipts(outcome, reply);
      const events = toldEvents(outcome);
      return { run_id: row.run_id, status: row.status, response: responseText(completion), principal_id, events };
    },
  );

  app.get(
    '/v1/runs/:run_id',
    {
      schema: {
        operationId: 'getRun',
        tags: ['runs'],
        summary: 'Tell the status and events of a run',
        description: 'While it goes on and after it has ended.',
        params,
        response: { 200: ref(Run), 404: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const principal = requireRole(request, 'call', 'approve', 'audit');
      const { row, events } = await runs.read(request.params.run_id);
      noteRoute(request, surface, row.route);
      requireRoute(principal, row.route);
      receipts({ row, error: null, paid: false }, reply);
      const { run_id, route, principal_id, status, approvers, config_digest } = row;
      return { run_id, route, principal_id, status, approvers, events: [...events], config_digest };
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
        description: 'Of several decisions one wins; the others get 409.',
        params,
        body: ref(Decide),
        response: { 200: ref(DecidedRun), ...errors },
      },
    },
    async (request, reply) => {
      const { run_id } = request.params;
      const principal = await callerOf(request, run_id, 'approve');
      const { decision, digest } = request.body;
      const outcome = await runs.resume(run_id, principal.principal_id, { decision, digest: digest ?? null });
      const { row, events, completion } = outcome;
      receipts(outcome, reply);
      return { run_id, status: row.status, response: responseText(completion), events: [...events] };
    },
  );

  app.get(
    '/v1/runs/:run_id/pending',
    {
      schema: {
        operationId: 'getPendingRun',
        tags: ['runs'],
        summary: 'Tell what a paused run waits for',
        description: 'For those who may decide.',
        params,
        response: { 200: ref(PendingRun), ...errors },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const principal = await callerOf(request, run_id, 'approve');
      const { row, messages, parameters, ...pending } = await runs.pending(run_id, principal.principal_id);
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
        description: 'For its creator and its approvers, while it is kept (24 hours unless configured).',
        params,
        response: { 200: ref(RunResponse), ...errors },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const principal = await callerOf(request, run_id, 'call', 'approve');
      const { row, completion } = await runs.response(run_id, principal.principal_id);
      return { run_id, status: row.status, response: responseText(completion), completion };
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
          'As the guards left it, for its creator and its approvers. Kept as long as answers are, and only where the chat request asked for it with the header `x-svc-keep: request`, or the server records content.',
        params,
        response: { 200: ref(SentRequest), ...errors },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const principal = await callerOf(request, run_id, 'call', 'approve');
      const { row, messages, parameters } = await runs.sent(run_id, principal.principal_id);
      return {
        run_id,
        status: row.status,
        messages: messages === null ? null : [...messages],
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
        description:
          'Messages, answers and whatever else was kept are gone for good, its evidence stays. A run that waits is denied with it; a paused one by those who may decide.',
        params,
        response: { 200: ref(ErasedRun), ...errors },
      },
    },
    async (request, reply) => {
      const { run_id } = request.params;
      const { principal_id } = await callerOf(request, run_id, 'approve');
      const erased = await runs.erase(run_id, { principal_id, is_operator: false });
      reply.header('x-svc-run-id', run_id);
      return { ...erased };
    },
  );
}

/** The route's approvers bound those that a body may name; none named means the route's. */
function boundedApprovers(asked: readonly string[], allowed: readonly string[]): readonly string[] {
  if (asked.length === 0) return allowed;
  if (allowed.length > 0 && !asked.every((id) => allowed.includes(id))) {
    throw new SvcError('SVC-REQ-001', "body/approvers must be a subset of the route's approvers");
  }
  return asked;
}
