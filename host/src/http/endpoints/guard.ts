import type { ProtocolPlugin } from '@svc/contracts';
import { protocolsWith, textAt } from '@svc/protocols';
import type { FastifyContextConfig } from 'fastify';
import type { Static } from 'typebox';
import { LIMITS, RUN_HEADERS } from '../description/answers.ts';
import { json, run_id, route as sample } from '../description/samples.ts';
import { askedRoute } from '../doors/asked-route.ts';
import { type CheckParts, check, verdictOf } from '../doors/check.ts';
import { readCheck } from '../doors/checked-body.ts';
import { litellmAnswer, readLitellm } from '../doors/litellm-check.ts';
import type { Routes } from '../find-route.ts';
import { GuardCheck, GuardChecked, guardRoute, LitellmCheck, LitellmChecked, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

interface Parts extends CheckParts {
  readonly active: Routes;
}

const declared = {
  roles: ['call'],
  metered: true,
  keepsDigits: true,
  errors: [...LIMITS, 'SVC-ROUTE-001', 'SVC-BUSY-001', 'SVC-OPS-001', 'SVC-STORE-001'],
  headers: RUN_HEADERS,
} satisfies FastifyContextConfig;

const checked = {
  verdict: 'sanitize',
  code: 'pii',
  guard: 'pii',
  findings: [{ entity_type: 'EMAIL_ADDRESS', count: 1 }],
  guards: [],
  not_asked: ['budget'],
  text: 'Write to <EMAIL_ADDRESS_1>.',
};

/** The guards of a route, for use by other programs without a model call. */
export function guardEndpoints(app: Server, parts: Parts, plugins: readonly ProtocolPlugin[]): void {
  const protocols = protocolsWith(plugins.map(({ protocol }) => protocol));
  app.post(
    '/v1/guard',
    {
      attachValidation: true,
      config: {
        ...declared,
        example: { request: { route: sample, text: 'Write to alice@example.com.' }, response: json(checked) },
      },
      schema: {
        operationId: 'checkText',
        tags: ['runs'],
        summary: 'Check a text or a body with the guards of a route',
        description:
          'No model is called. The verdict `require_approval` does not pause anything. Nothing is recorded unless you set `evidence`.',
        body: ref(GuardCheck),
        response: { 200: ref(GuardChecked) },
      },
    },
    async (request, reply) => {
      const route = askedRoute(request, parts.active, textAt(Reflect.get(Object(request.body), 'route'), 'body/route'));
      const asked = request.body as Static<typeof GuardCheck>;
      const { evidence = false } = asked;
      const body = readCheck({ ...asked, route: route.runtime.name }, protocols);
      const outcome = await check(body, evidence, route, parts, request, reply);
      const { row } = outcome;
      const recorded = evidence ? { run_id: row.run_id } : {};
      return { ...verdictOf(outcome), ...(outcome.stop === null && body.edited()), ...recorded };
    },
  );
  app.post(
    '/v1/guard/:route/beta/litellm_basic_guardrail_api',
    {
      attachValidation: true,
      config: {
        ...declared,
        takesApiKey: true,
        example: {
          request: { input_type: 'request', texts: ['Write to alice@example.com.'] },
          response: json({ action: 'GUARDRAIL_INTERVENED', texts: ['Write to <EMAIL_ADDRESS_1>.'] }),
        },
      },
      schema: {
        operationId: 'checkForLitellm',
        tags: ['runs'],
        summary: "Check texts with the guards of a route, in the format of LiteLLM's generic guardrail API",
        description: `Every check is recorded as a run with evidence. A verdict \`require_approval\` blocks. So does an edit that LiteLLM cannot apply: it applies only edits of texts and tools. The key may also be sent as \`x-api-key\`. The example is run ${run_id}.`,
        params: guardRoute,
        body: ref(LitellmCheck),
        response: { 200: ref(LitellmChecked) },
      },
    },
    async (request, reply) => {
      const route = askedRoute(request, parts.active, request.params.route);
      const body = readLitellm(request.body as Static<typeof LitellmCheck>, route.runtime.name);
      const { unknown_roles } = body;
      if (unknown_roles > 0) request.log.warn({ event: 'unknown_roles', route: route.runtime.name, messages: unknown_roles });
      const outcome = await check(body, true, route, parts, request, reply);
      return litellmAnswer(outcome, body);
    },
  );
}
