import { CHAT } from '@svc/protocols';
import type { Gateway } from '@svc/runtime';
import { responseText } from '@svc/runtime/content';
import { Type } from 'typebox';
import type { RateLimits } from '../../limits/rate-limits.ts';
import { approversOf, type CanApprove } from '../approvers.ts';
import { requireRole, requireRoute } from '../auth.ts';
import { CHAT_HEADERS, LIMITS, RUN, RUN_HEADERS } from '../description/answers.ts';
import {
  ANSWER,
  events,
  json,
  MESSAGES,
  principal_id,
  run_id,
  route as sample,
  run as sampleRun,
} from '../description/samples.ts';
import { askedBy } from '../doors/asked-route.ts';
import { chatMessages } from '../doors/chat.ts';
import { reportUnsupported, unsupportedBy } from '../doors/unsupported-by.ts';
import { findRouteToCall, type Routes } from '../find-route.ts';
import type { WithGroups } from '../groups.ts';
import { admitRun, releasedAfter } from '../limits.ts';
import { receipts } from '../receipts.ts';
import { reportedEvents } from '../reported-events.ts';
import { noteRoute, noteRun } from '../request-log.ts';
import { seesWhole, shownRun } from '../run-access.ts';
import { CreatedRun, CreateRun, eg, Run, ref, sessionHeader } from '../schemas.ts';
import type { Server } from '../typed-server.ts';
import { runParams } from './run-caller.ts';

interface Parts {
  readonly active: Routes;
  readonly gateway: Pick<Gateway, 'runs'>;
  readonly limits: RateLimits;
  readonly canApprove: CanApprove;
  readonly withGroups: WithGroups;
}

/** Governed runs. */
export function runEndpoints(app: Server, { active, gateway: { runs }, limits, canApprove, withGroups }: Parts): void {
  app.post(
    '/v1/runs',
    {
      config: {
        roles: ['call'],
        metered: true,
        keepsDigits: true,
        errors: [...LIMITS, 'SVC-ROUTE-001', 'SVC-RUN-006', 'SVC-BUSY-001', 'SVC-OPS-001', 'SVC-STORE-001'],
        headers: CHAT_HEADERS,
        // With 429 there is a run as well: it ended because too many runs are paused.
        errorHeaders: (status, usual) => (status === 429 ? [...RUN_HEADERS, 'retry-after', 'x-should-retry'] : usual),
        example: {
          request: { route: sample, messages: MESSAGES, approvers: ['bob'], background: false },
          response: json({ run_id, status: 'completed', response: ANSWER, principal_id, events }),
        },
      },
      schema: {
        operationId: 'createRun',
        tags: ['runs'],
        summary: 'Create a governed run',
        description:
          'Returns the run, whatever its status, including `error`. The response is 429 if the run would pause and too many runs are already paused. If the guard that stopped the run has a message for the caller, its verdict contains `hint: {text, retry_at?}`. Later reads of the run do not contain it.',
        headers: Type.Object({
          ...sessionHeader,
          'idempotency-key': Type.Optional(
            Type.String({
              pattern: '^[\\x21-\\x7e]{1,255}$',
              ...eg('invoice-4711'),
              description:
                'A random key, unique per request. A retry with the same key, route and body returns the existing run; with a different route or body, it gets 409.',
            }),
          ),
        }),
        body: ref(CreateRun),
        response: { 200: ref(CreatedRun) },
      },
    },
    async (request, reply) => {
      const principal = requireRole(request);
      const { route = 'default', messages, approvers = [], background = false } = request.body;
      const served = findRouteToCall(active, route);
      const { runtime } = served;
      noteRoute(request, served);
      requireRoute(principal, runtime.name);
      const key = request.headers['idempotency-key'];
      // An absent field is the same as its default value.
      const body = { ...request.body, route, approvers, background };
      const asked = {
        ...askedBy({ principal, runtime }, request),
        protocol: CHAT,
        request: { model: route, messages: chatMessages(messages) },
        unsupported: [],
        approvers: approversOf(approvers, principal.principal_id, runtime, canApprove),
        keepAnswer: background,
        keepRequest: false,
        synchronous: false,
        idempotency_key: key === undefined ? null : { value: key, endpoint: 'POST /v1/runs', body },
        sink: null,
      };
      const { release } = admitRun(limits, principal, asked, runtime.name, reply);
      const begun = background ? runs.startInBackground(asked, release) : releasedAfter(runs.start(asked), release);
      noteRun(request, begun);
      const outcome = await begun;
      const { row } = outcome;
      receipts(outcome, reply);
      reportUnsupported(reply, unsupportedBy(outcome));
      if (outcome.error?.code === 'SVC-RATE-001' && !background) throw outcome.error;
      const events = reportedEvents(outcome);
      return { run_id: row.run_id, status: row.status, response: responseText(outcome), principal_id: row.principal_id, events };
    },
  );

  app.get(
    '/v1/runs/:run_id',
    {
      config: {
        roles: ['call', 'approve', 'audit'],
        errors: RUN,
        headers: RUN_HEADERS,
        example: { response: json(sampleRun) },
      },
      schema: {
        operationId: 'getRun',
        tags: ['runs'],
        summary: 'Get the status and events of a run',
        description:
          'The creator, the approvers and keys with the role `audit` see the whole run. Others see its route and status; `principal_id`, `approvers` and `events` are empty.',
        params: runParams,
        response: { 200: ref(Run) },
      },
    },
    async (request, reply) => {
      const principal = requireRole(request);
      const view = await runs.stored.read(request.params.run_id);
      const { row } = view;
      noteRoute(request, active.routes.get(row.route));
      requireRoute(principal, row.route);
      const caller = withGroups(principal);
      if (seesWhole(caller, view, runs.stored)) receipts({ row, error: null, paid: false }, reply);
      else reply.header('x-svc-run-id', row.run_id);
      return shownRun(caller, view, runs.stored);
    },
  );
}
