import type { Gateway } from '@svc/runtime';
import { responseText } from '@svc/runtime/content';
import type { Static } from 'typebox';
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
import type { Principal } from '../key-ring.ts';
import type { Passkeys } from '../passkeys.ts';
import { reasonOf } from '../reason.ts';
import { receipts } from '../receipts.ts';
import { noteRun } from '../request-log.ts';
import { requireOwnerOrApprover } from '../run-access.ts';
import { Decide, DecidedRun, IntendedDecision, PendingRun, RunDecisions, ref, Statement } from '../schemas.ts';
import type { Server } from '../typed-server.ts';
import { callerOf, runParams as params } from './run-caller.ts';

interface Parts {
  readonly active: Routes;
  readonly withGroups: WithGroups;
  readonly gateway: Pick<Gateway, 'runs'>;
  readonly passkeys: Passkeys;
}

const DECIDE = [...RUN, 'SVC-AUTH-003', 'SVC-AUTH-005', 'SVC-APPR-002', 'SVC-RUN-002', 'SVC-RUN-003', 'SVC-RUN-005'] as const;
const digest = 'sha256:24ab75387f96a0967757a4d917fe1c5aca56d981498da392e270fcf7e069eb7d';
const sampleStatement = {
  copies: [],
  decision: 'approved',
  digest,
  edited: null,
  ledger: 'svc-ledger-3c1d4c2f-6a54-4a0e-9d7a-5d0b0f4e7a11',
  node: 'payments',
  nonce: '1mQ2vJ0q0m0Zb7cX0y6n5g',
  on_behalf_of: null,
  principal_id: 'ada',
  reason_digest: null,
  run_id: sampleRunId,
  time: created_at,
  type: 'svc.decision.v1',
};

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
        errors: [...DECIDE, 'SVC-BUSY-001', 'SVC-OPS-001', 'SVC-REQ-003'],
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
      const { principal, caller } = await callerOf(request, run_id, parts);
      const { passkey } = request.body;
      const signature = passkey && (await parts.passkeys.verify(principal, passkey.ticket, passkey.credential));
      const verdict = verdictOf(request.body, caller);
      // A signature is for the digest in its statement.
      const resumed = runs.resume(run_id, caller.principal_id, {
        ...verdict,
        digest: verdict.digest ?? signature?.statement.digest ?? null,
        signature,
      });
      noteRun(request, resumed);
      const outcome = await resumed;
      const { row, events } = outcome;
      receipts(outcome, reply);
      return { run_id, status: row.status, response: responseText(outcome), events: [...events] };
    },
  );

  app.post(
    '/v1/runs/:run_id/statement',
    {
      config: {
        roles: ['approve'],
        metered: true,
        alwaysAdmitted: true,
        errors: [...DECIDE, 'SVC-BUSY-001', 'SVC-REQ-003'],
        example: {
          request: { decision: 'approved', digest, reason: 'Checked with the customer.' },
          response: json({
            statement: sampleStatement,
            options: { challenge: 'pkS6…', rpId: 'gateway.example.com' },
            ticket: 'eyJ…',
          }),
        },
      },
      schema: {
        operationId: 'getStatement',
        tags: ['runs'],
        summary: 'Get the statement to sign with a passkey for a decision',
        description:
          'For people with a passkey. The challenge in `options` is the SHA-256 hash of the canonical JSON of `statement`. Send the same decision with `passkey` to `/resume` within 5 minutes. This request changes nothing.',
        params,
        body: ref(IntendedDecision),
        response: { 200: ref(Statement) },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const { principal, caller } = await callerOf(request, run_id, parts);
      const made = await runs.stored.statement(run_id, caller.principal_id, verdictOf(request.body, caller));
      const { options, ticket } = await parts.passkeys.beginSigning(principal, made);
      return { statement: made.statement, options: { ...options }, ticket };
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
            passkey: 'none',
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
      const { row, messages, parameters, may_decide, decisions, texts, original_texts, passkey, ...pending } =
        await runs.stored.pending(run_id, caller.principal_id, caller);
      return {
        run_id: row.run_id,
        route: row.route,
        principal_id: row.principal_id,
        ...pending,
        passkey: passkey === 'optional' && !(await hasPasskey(caller, parts.passkeys)) ? 'none' : passkey,
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
        description: 'Lists the decisions with their reasons. Only the creator and the approvers of the run can read them.',
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

function verdictOf(
  { decision, digest, reason, edits = [] }: Static<typeof IntendedDecision>,
  { groups, identity }: ReturnType<WithGroups>,
) {
  return { decision, digest: digest ?? null, reason: reasonOf(reason), edits, groups, identity };
}

async function hasPasskey({ identity }: Principal, passkeys: Passkeys): Promise<boolean> {
  return identity !== null && (await passkeys.list(identity)).length > 0;
}
