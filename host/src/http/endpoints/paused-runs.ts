import type { Gateway } from '@svc/runtime';
import { responseText } from '@svc/runtime/content';
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
import type { WithGroups } from '../groups.ts';
import { reasonOf } from '../reason.ts';
import { receipts } from '../receipts.ts';
import { noteRun } from '../request-log.ts';
import { requireOwnerOrApprover } from '../run-access.ts';
import { Decide, DecidedRun, PendingRun, RunDecisions, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';
import { callerOf, runParams as params } from './run-caller.ts';

interface Parts {
  readonly active: Routes;
  readonly withGroups: WithGroups;
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
        errors: [
          ...RUN,
          'SVC-AUTH-003',
          'SVC-APPR-002',
          'SVC-RUN-002',
          'SVC-RUN-003',
          'SVC-RUN-005',
          'SVC-BUSY-001',
          'SVC-OPS-001',
        ],
        headers: OUTCOME_HEADERS,
        example: {
          request: { decision: 'approved', digest, reason: 'Checked with the customer.' },
          response: json({ run_id: sampleRunId, status: 'completed', response: ANSWER, events: sampleEvents }),
        },
      },
      schema: {
        operationId: 'resumeRun',
        tags: ['runs'],
        summary: 'Approve or deny a paused run',
        description:
          'The first decision wins; later ones get 409. If the route needs several approvals, the run stays paused until they are given.',
        params,
        body: ref(Decide),
        response: { 200: ref(DecidedRun) },
      },
    },
    async (request, reply) => {
      const { run_id } = request.params;
      const { caller } = await callerOf(request, run_id, parts);
      const { decision, digest, reason, edits = [] } = request.body;
      const resumed = runs.resume(run_id, caller.principal_id, {
        decision,
        digest: digest ?? null,
        reason: reasonOf(reason),
        edits,
        groups: caller.groups,
        identity: caller.identity,
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
            texts: [{ index: 0, path: 'messages.0.content', role: 'user', text: 'Please make a wire transfer.' }],
            original_texts: null,
            digest,
            reason: 'optional',
            approvals: { given: 0, needed: 1 },
            may_decide: [{ approver: 'bob', from: null, until: null, on_behalf_of: null, delegation_id: null }],
            on_behalf_of: null,
            decisions: [],
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
      const { caller } = await callerOf(request, run_id, parts);
      const { row, messages, parameters, may_decide, decisions, texts, original_texts, ...pending } = await runs.stored.pending(
        run_id,
        caller.principal_id,
        caller,
      );
      return {
        run_id: row.run_id,
        route: row.route,
        principal_id: row.principal_id,
        ...pending,
        messages: [...messages],
        parameters: { ...parameters },
        may_decide: [...may_decide],
        decisions: [...decisions],
        texts: [...texts],
        original_texts: original_texts && [...original_texts],
      };
    },
  );

  app.get(
    '/v1/runs/:run_id/decisions',
    {
      config: {
        roles: ['call', 'approve'],
        errors: [...RUN, 'SVC-AUTH-003', 'SVC-RUN-005'],
        example: {
          response: json({
            run_id: sampleRunId,
            status: 'denied',
            decisions: [
              {
                decision: 'denied',
                principal_id: 'bob',
                on_behalf_of: null,
                at: created_at,
                digest,
                edited: null,
                reason: 'The customer did not order this.',
              },
            ],
          }),
        },
      },
      schema: {
        operationId: 'getRunDecisions',
        tags: ['runs'],
        summary: 'Get the decisions on a run',
        description: 'With their reasons. Only the creator and the approvers of the run can read them.',
        params,
        response: { 200: ref(RunDecisions) },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const { caller, view } = await callerOf(request, run_id, parts);
      requireOwnerOrApprover(caller, view, runs.stored);
      return { run_id, status: view.row.status, decisions: [...(await runs.stored.decisions(run_id))] };
    },
  );
}
