import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ROLES } from '../../config/roles.ts';
import { isAnthropicClient } from '../anthropic-client.ts';
import { anthropicList, anthropicModel } from '../anthropic-models.ts';
import { requireRole, requireRoute } from '../auth.ts';
import type { Principal } from '../key-ring.ts';
import { ErrorBody, Model, ModelList, RouteList, ref } from '../schemas.ts';
import { findRoute, type ServedRoute, type Server, type Surface } from '../surface.ts';

const ModelPage = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'With `anthropic-version`: most entries; default 20.' }),
  ),
  after_id: Type.Optional(Type.String({ description: 'With `anthropic-version`: only entries after this one.' })),
  before_id: Type.Optional(Type.String({ description: 'With `anthropic-version`: only entries before this one.' })),
});
const params = Type.Object({ model: Type.String({ description: "The route's name." }) });

export function modelEndpoints(app: Server, surface: Surface): void {
  app.get(
    '/v1/models',
    {
      config: { takesApiKey: true },
      schema: {
        operationId: 'listModels',
        tags: ['chat'],
        summary: 'List the routes as models',
        description:
          "One entry for each route that the key may call and that is not disabled; one that ends in `*` stands for every model that begins so. The key may come as `x-api-key`. With the header `anthropic-version` the list is one of Anthropic's API.",
        querystring: ModelPage,
        response: { 200: ref(ModelList) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request, 'call', 'approve', 'audit', 'rag');
      const routes = visible(caller, surface).filter(
        ({ runtime }) => surface.gateway.states.of('route', runtime.name) !== 'disabled',
      );
      if (isAnthropicClient(request)) return inWordsOfOthers(reply, anthropicList(routes, request.query, surface.started_at));
      return { object: 'list' as const, data: routes.map((route) => asModel(route, surface)) };
    },
  );

  const one = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const route = findRoute(surface, name);
    requireRoute(requireRole(request, 'call', 'approve', 'audit', 'rag'), route.runtime.name);
    // Of a pattern, the model that was asked for is told.
    const named = { ...route, attributes: { ...route.attributes, name } };
    return isAnthropicClient(request)
      ? inWordsOfOthers(reply, anthropicModel(named, surface.started_at))
      : asModel(named, surface);
  };
  app.get(
    '/v1/models/:model',
    {
      config: { takesApiKey: true },
      schema: {
        operationId: 'getModel',
        tags: ['chat'],
        summary: 'Tell one route as a model',
        description:
          "One entry of the list. The key may come as `x-api-key`. With the header `anthropic-version` it is one of Anthropic's API.",
        params,
        response: { 200: ref(Model), 404: ref(ErrorBody) },
      },
    },
    async (request, reply) => one(request, reply, request.params.model),
  );
  // Names of routes may have slashes, and clients do not always encode them.
  app.get<{ Params: { '*': string } }>(
    '/v1/models/*',
    { config: { takesApiKey: true }, schema: { hide: true } },
    async (request, reply) => one(request, reply, request.params['*']),
  );

  app.get(
    '/v1/routes',
    {
      schema: {
        operationId: 'listRoutes',
        tags: ['routes'],
        summary: 'Tell the attributes and guards of the routes',
        description: 'Every route that the key may call, with its pipeline in order.',
        response: { 200: ref(RouteList) },
      },
    },
    async (request) => {
      const caller = requireRole(request, 'call', 'approve', 'audit', 'rag');
      const { principal_id, roles } = caller;
      return {
        routes: visible(caller, surface).map(({ attributes }) => attributes),
        caller: { principal_id, roles: [...(roles ?? ROLES)] },
      };
    },
  );
}

function visible({ routes }: Principal, surface: Surface): ServedRoute[] {
  return [...surface.routes.values()].filter(({ attributes }) => routes === null || routes.includes(attributes.name));
}

function asModel({ attributes, capabilities }: ServedRoute, { started_at }: Surface) {
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

/** Sends what the endpoint's schema does not have. */
function inWordsOfOthers(reply: FastifyReply, body: object): never {
  return reply.send(body) as never;
}
