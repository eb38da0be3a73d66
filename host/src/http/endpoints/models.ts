import { requireRole } from '../auth.ts';
import type { Principal } from '../key-ring.ts';
import { ModelList, RouteList, ref } from '../schemas.ts';
import type { ServedRoute, Server, Surface } from '../surface.ts';

export function modelEndpoints(app: Server, surface: Surface): void {
  app.get(
    '/v1/models',
    {
      schema: {
        operationId: 'listModels',
        tags: ['chat'],
        summary: 'List the routes as models',
        description: 'One entry for each route that the key may call.',
        response: { 200: ref(ModelList) },
      },
    },
    async (request) => ({
      object: 'list' as const,
      data: visible(requireRole(request, 'call', 'approve', 'audit', 'rag'), surface).map(({ attributes }) => ({
        id: attributes.name,
        object: 'model' as const,
        created: surface.started_at,
        owned_by: attributes.owner ?? 'svc',
      })),
    }),
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
    async (request) => ({
      routes: visible(requireRole(request, 'call', 'approve', 'audit', 'rag'), surface).map(({ attributes }) => attributes),
    }),
  );
}

function visible({ routes }: Principal, surface: Surface): ServedRoute[] {
  return [...surface.routes.values()].filter(({ attributes }) => routes === null || routes.includes(attributes.name));
}
