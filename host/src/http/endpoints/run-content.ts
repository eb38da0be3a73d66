import type { Gateway } from '@svc/runtime';
import { responseText } from '@svc/runtime/content';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../actor.ts';
import type { AssertStill } from '../assert-still.ts';
import { type AtOnce, ERASURES_AT_ONCE } from '../at-once.ts';
import { RUN } from '../description/answers.ts';
import { ANSWER, json, completion as sampleCompletion, run_id as sampleRunId } from '../description/samples.ts';
import type { Routes } from '../find-route.ts';
import type { WithGroups } from '../groups.ts';
import { hasRole, type Principal } from '../key-ring.ts';
import { reasonOf } from '../reason.ts';
import { requireOwner } from '../run-access.ts';
import { ErasedRun, RunResponse, reasonInQuery, ref, SentRequest } from '../schemas.ts';
import type { Server } from '../typed-server.ts';
import { callerOf, runParams as params } from './run-caller.ts';

interface Parts {
  readonly active: Routes;
  readonly withGroups: WithGroups;
  readonly gateway: Pick<Gateway, 'runs'>;
  readonly assertStill: AssertStill;
  /** Limits the erasures of a principal that run at the same time. */
  readonly erasures: AtOnce;
}

const readable = {
  roles: ['call', 'approve'],
  errors: [...RUN, 'SVC-AUTH-003', 'SVC-RUN-004', 'SVC-RUN-005'],
} satisfies FastifyContextConfig;

/** The stored content of runs. */
export function runContentEndpoints(app: Server, parts: Parts): void {
  const {
    gateway: { runs },
    assertStill,
    erasures,
  } = parts;
  const readerOf = async (request: FastifyRequest, run_id: string): Promise<ReturnType<WithGroups>> => {
    const { caller, view } = await callerOf(request, run_id, parts);
    if (!hasRole(caller, 'approve')) requireOwner(caller, view.row);
    return caller;
  };

  app.get(
    '/v1/runs/:run_id/response',
    {
      config: {
        ...readable,
        example: {
          response: json({
            run_id: sampleRunId,
            status: 'completed',
            response: ANSWER,
            protocol: 'openai.chat',
            completion: sampleCompletion,
            reason: null,
          }),
        },
      },
      schema: {
        operationId: 'getRunResponse',
        tags: ['runs'],
        summary: 'Get the answer of an ended run',
        description: 'Available to the creator and the approvers for as long as it is stored (24 hours by default).',
        params,
        response: { 200: ref(RunResponse) },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const reader = await readerOf(request, run_id);
      const found = await runs.stored.response(run_id, reader.principal_id, reader);
      const { row, protocol, completion, reason } = found;
      return { run_id, status: row.status, response: responseText(found), protocol: protocol.id, completion, reason };
    },
  );

  app.get(
    '/v1/runs/:run_id/request',
    {
      config: {
        ...readable,
        example: {
          response: json({
            run_id: sampleRunId,
            status: 'completed',
            protocol: 'openai.chat',
            messages: [{ role: 'user', content: 'Pay from account <ACCOUNT>.' }],
            gone_run_id: null,
            parameters: {},
          }),
        },
      },
      schema: {
        operationId: 'getRunRequest',
        tags: ['runs'],
        summary: 'Get the request that was sent to the model of an ended run',
        description:
          'Available to the creator and the approvers. Includes the edits of the guards. The request is stored only if the client sent `x-svc-keep: request` or the server records content, for as long as answers are stored.',
        params,
        response: { 200: ref(SentRequest) },
      },
    },
    async (request) => {
      const { run_id } = request.params;
      const reader = await readerOf(request, run_id);
      const found = await runs.stored.sent(run_id, reader.principal_id, reader);
      const { row, protocol, messages, gone_run_id, parameters } = found;
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
      config: {
        roles: ['call', 'approve', 'admin'],
        metered: true,
        errors: [...RUN, 'SVC-AUTH-003', 'SVC-RUN-002', 'SVC-RUN-004', 'SVC-LIMIT-003', 'SVC-BUSY-001'],
        headers: ['x-svc-run-id'],
        example: { response: json({ run_id: sampleRunId, status: 'completed', backups_unreadable: true }) },
      },
      schema: {
        operationId: 'eraseRunContent',
        tags: ['runs'],
        summary: 'Erase the content of a run',
        description: `Permanently deletes messages, answers and all other stored content. The evidence stays, and an event records who erased it. A paused run is denied. For the creator, the approvers, and keys with the role \`admin\`. A principal may run ${ERASURES_AT_ONCE} erasures at the same time.`,
        params,
        querystring: Type.Object(reasonInQuery),
        response: { 200: ref(ErasedRun) },
      },
    },
    async (request, reply) => {
      const { run_id } = request.params;
      const { principal, caller } = await callerOf(request, run_id, parts);
      const by = {
        principal_id: principal.principal_id,
        groups: caller.groups,
        identity: caller.identity,
        scope: eraseScope(principal),
        actor: actorOf(principal),
        reason: reasonOf(request.query.reason),
        assertStill: () => assertStill(principal),
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
