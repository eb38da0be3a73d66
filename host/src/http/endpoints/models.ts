import { Type } from 'typebox';
import { ROLES } from '../../config/roles.ts';
import { requireRole, requireRoute } from '../auth.ts';
import type { Principal } from '../key-ring.ts';
import { ErrorBody, Model, ModelList, RouteList, ref } from '../schemas.ts';
import { findRoute, type ServedRoute, type Server, type Surface } from '../surface.ts';

export function modelEndpoints(app: Server, surface: Surface): void {
  app.get(
    '/v1/models',
    {
      config: { takesApiKey: true },
      schema: {
        operationId: 'listModels',
        tags: ['chat'],
        summary: 'List the routes as models',
        description: 'One entry for each route that the key may call and that is not disabled. The key may come as `x-api-key`.',
        response: { 200: ref(ModelList) },
      },
    },
    async (request) => ({
      object: 'list' as const,
      data: visible(requireRole(request, 'call', 'approve', 'audit', 'rag'), surface)
        .filter(({ runtime }) => surface.gateway.states.of('route', runtime.name) !== 'disabled')
        .map((route) => asModel(route, surface)),
    }),
  );

  app.get(
    '/v1/models/:model',
    {
      config: { takesApiKey: true },
      schema: {
        operationId: 'getModel',
        tags: ['chat'],
        summary: 'Tell one route as a model',
        description: 'One entry of the list. The key may come as `x-api-key`.',
        params: Type.Object({ model: Type.String({ description: "The route's name." }) }),
        response: { 200: ref(Model), 404: ref(ErrorBody) },
      },
    },
    async (request) => {
      const route = findRoute(surface, request.params.model);
      requireRoute(requireRole(request, 'call', 'approve', 'audit', 'rag'), request.params.model);
      return asModel(route, surface);
    },
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

function asModel({ attributes }: ServedRoute, { started_at }: Surface) {
  return { id: attributes.name, object: 'model' as const, created: started_at, owned_by: attributes.owner ?? 'svc' };
}
