import type { Gateway } from '@svc/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { DEFAULT_ROLES, ROLES } from '../../config/roles.ts';
import { isAnthropicClient } from '../anthropic-client.ts';
import { anthropicList, anthropicModel } from '../anthropic-models.ts';
import { requireRole, requireRoute } from '../auth.ts';
import { json, route as sample, principal_id as sampleId } from '../description/samples.ts';
import { findRoute, type Routes, type ServedRoute } from '../find-route.ts';
import type { Principal } from '../key-ring.ts';
import { eg, Model, ModelList, RouteList, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

const ModelPage = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'With `anthropic-version`: maximum number of entries. Default: 20.',
      ...eg(100),
    }),
  ),
  after_id: Type.Optional(Type.String({ description: 'With `anthropic-version`: only entries after this one.', ...eg(sample) })),
  before_id: Type.Optional(
    Type.String({ description: 'With `anthropic-version`: only entries before this one.', ...eg(sample) }),
  ),
});
const params = Type.Object({ model: Type.String({ description: "The route's name.", ...eg(sample) }) });
const sampleModel = { id: sample, object: 'model', created: 1767603600, owned_by: 'risk-team' };
const sampleNode = (name: string) => ({
  name,
  type: 'rules',
  package: '@svc/guard-rules',
  version: '2.0.0',
  mode: 'enforce',
  verdicts: ['sanitize'],
});
const sampleRoute = {
  name: sample,
  owner: 'risk-team',
  risk_rating: 'medium',
  review_interval_days: 365,
  residency: ['us'],
  approvers: ['bob'],
  escalate: null,
  provider: { name: 'openai', type: 'openai', region: 'us', model: 'gpt-4o', weight: null },
  fallbacks: [],
  pipeline: { ingress: [sampleNode('accounts'), sampleNode('payments')], egress: [sampleNode('accounts')] },
  stops: 'text',
  streams: 'as-it-comes',
};

interface Parts {
  readonly active: Routes;
  readonly states: Gateway['states'];
  /** Seconds since the epoch. */
  readonly started_at: number;
}

export function modelEndpoints(app: Server, { active, states, started_at }: Parts): void {
  app.get(
    '/v1/models',
    {
      config: { roles: DEFAULT_ROLES, takesApiKey: true, example: { response: json({ object: 'list', data: [sampleModel] }) } },
      schema: {
        operationId: 'listModels',
        tags: ['chat'],
        summary: 'List the routes as models',
        description:
          "One entry for each enabled route that the key may call. An entry that ends in `*` covers every model with that prefix. The key may also be sent as `x-api-key`. With the header `anthropic-version`, the response has the format of Anthropic's API.",
        querystring: ModelPage,
        response: { 200: ref(ModelList) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request);
      const routes = visible(caller, active).filter(({ runtime }) => states.of('route', runtime.name) !== 'disabled');
      if (isAnthropicClient(request)) return sendForeign(reply, anthropicList(routes, request.query, started_at));
      return { object: 'list' as const, data: routes.map((route) => asModel(route, started_at)) };
    },
  );

  const one = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const route = findRoute(active, name);
    requireRoute(requireRole(request), route.runtime.name);
    // If the route's name is a pattern, the requested model replaces it.
    const named = { ...route, attributes: { ...route.attributes, name } };
    return isAnthropicClient(request) ? sendForeign(reply, anthropicModel(named, started_at)) : asModel(named, started_at);
  };
  app.get(
    '/v1/models/:model',
    {
      config: {
        roles: DEFAULT_ROLES,
        takesApiKey: true,
        errors: ['SVC-ROUTE-001'],
        example: { response: json(sampleModel) },
      },
      schema: {
        operationId: 'getModel',
        tags: ['chat'],
        summary: 'Get a route as a model',
        description:
          "One entry of the list. The key may also be sent as `x-api-key`. With the header `anthropic-version`, the response has the format of Anthropic's API.",
        params,
        response: { 200: ref(Model) },
      },
    },
    async (request, reply) => one(request, reply, request.params.model),
  );
  // Names of routes may contain slashes, and some clients do not encode them.
  app.get<{ Params: { '*': string } }>(
    '/v1/models/*',
    { config: { roles: DEFAULT_ROLES, takesApiKey: true }, schema: { hide: true } },
    async (request, reply) => one(request, reply, request.params['*']),
  );

  app.get(
    '/v1/routes',
    {
      config: {
        roles: DEFAULT_ROLES,
        example: { response: json({ routes: [sampleRoute], caller: { principal_id: sampleId, roles: ['call'] } }) },
      },
      schema: {
        operationId: 'listRoutes',
        tags: ['routes'],
        summary: 'List routes with their attributes and guards',
        description: 'Every route that the key may call, with its pipeline in order.',
        response: { 200: ref(RouteList) },
      },
    },
    async (request) => {
      const caller = requireRole(request);
      const { principal_id, roles } = caller;
      return {
        routes: visible(caller, active).map(({ attributes }) => attributes),
        caller: { principal_id, roles: [...(roles ?? ROLES)] },
      };
    },
  );
}

function visible({ routes }: Principal, active: Routes): ServedRoute[] {
  return [...active.routes.values()].filter(({ attributes }) => routes === null || routes.includes(attributes.name));
}

function asModel({ attributes, capabilities }: ServedRoute, started_at: number) {
  const { context_length, input_modalities, output_modalities } = capabilities(attributes.name);
  return {
    id: attributes.name,
    object: 'model' as const,
    created: started_at,
    owned_by: attributes.owner ?? 'svc',
    ...(context_length !== null && { context_length }),
    ...(input_modalities.length + output_modalities.length > 0 && {
      architecture: { input_modalities: [...input_modalities], output_modalities: [...output_modalities] },
    }),
  };
}

/** Sends a body that is not described by the schema of the endpoint. */
function sendForeign(reply: FastifyReply, body: object): never {
  return reply.send(body) as never;
}
