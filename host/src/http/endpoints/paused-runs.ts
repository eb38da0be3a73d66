import type { Gateway } from '@svc/runtime';
import { responseText } from '@svc/runtime/content';
import { SMALL_BODY_BYTES } from '../admission.ts';
import { OUTCOME_HEADERS, RUN } from '../description/answers.ts';
import {
  ANSWER,
  created_at,
  json,
  principal_id,
  route,
  events as sampleEvents,
  run_id as sampleRunId,
} from '../description/samples.ts';
import type { Routes } from '../find-route.ts';
import { receipts } from '../receipts.ts';
import { noteRun } from '../request-log.ts';
import { Decide, DecidedRun, PendingRun, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';
import { callerOf, runParams as params } from './run-caller.ts';

interface Parts {
  readonly active: Routes;
  readonly gateway: Pick<Gateway, 'runs'>;
}

const digest = 'sha256:24ab75387f96a0967757a4d917fe1c5aca56d981498da392e270fcf7e069eb7d';

/** What a paused run waits for, and the decision on it. */
export function pausedRunEndpoints(app: Server, parts: Parts): void {
  const { runs } = parts.gateway;

  app.post(
    '/v1/runs/:run_id/resume',
    {
      config: {
        roles: ['approve'],
        metered: true,
        alwaysAdmitted: true,
        errors: [...RUN, 'SVC-AUTH-003', 'SVC-RUN-002', 'SVC-RUN-003', 'SVC-RUN-005', 'SVC-BUSY-001', 'SVC-OPS-001'],
        headers: OUTCOME_HEADERS,
        example: {
          request: { decision: 'approved', digest },
          response: json({ run_id: sampleRunId, status: 'completed', response: ANSWER, events: sampleEvents }),
        },
      },
      bodyLimit: SMALL_BODY_BYTES,
      schema: {
        operationId: 'resumeRun',
        tags: ['runs'],
        summary: 'Approve or deny a paused run',
        description: 'The first decision wins; later ones get 409.',
        params,
        body: ref(Decide),
        response: { 200: ref(DecidedRun) },
      },
    },
    async (request, reply) => {
      const { run_id } = request.params;
      const { principal } = await callerOf(request, run_id, parts);
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
      config: {
        roles: ['approve'],
        errors: [...RUN, 'SVC-AUTH-003', 'SVC-RUN-002', 'SVC-RUN-003', 'SVC-RUN-005'],
        example: {
          response: json({
            run_id: sampleRunId,
            route,
            principal_id,
            stage: 'ingress',
            node: 'payments',
            code: 'wire',
            protocol: 'openai.chat',
            messages: [{ role: 'user', content: 'Please make a wire transfer.' }],
            parameters: {},
            answer: null,
            digest,
            since: created_at,
            expires_at: '2026-02-04T09:00:00.000Z',
          }),
        },
      },
      schema: {
        operationId: 'getPendingRun',
        tags: ['runs'],
        summary: 'Get the pending content of a paused run',
        description: 'Only approvers of the run can read it.',
        params,
        response: { 200: ref(PendingRun) },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const { principal } = await callerOf(request, run_id, parts);
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
}
