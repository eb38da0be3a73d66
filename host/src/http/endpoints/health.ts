import { Type } from 'typebox';
import { requireRole } from '../auth.ts';
import { ErrorBody, Health, ref } from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';

export function healthEndpoints(app: Server, surface: Surface): void {
  app.get(
    '/v1/health',
    {
      schema: {
        operationId: 'getHealth',
        tags: ['operations'],
        summary: 'Liveness and configuration digest',
        description:
          '503 with the same body while evidence cannot be written, and during shutdown; with an error where a token cannot be checked (`SVC-AUTH-004`).',
        response: { 200: ref(Health), 503: Type.Union([ref(Health), ref(ErrorBody)]) },
      },
    },
    async (request, reply) => {
      requireRole(request, 'call', 'approve', 'audit', 'rag');
      const { configuration, gateway } = surface;
      const status = surface.isDraining() ? 'stopping' : (await gateway.writable()) ? 'ok' : 'unavailable';
      return reply
        .code(status === 'ok' ? 200 : 503)
        .send({ status, config_digest: configuration.digest, config_path: configuration.path });
    },
  );

  app.get(
    '/metrics',
    {
      config: { public: true, quiet: true },
      schema: {
        operationId: 'getMetrics',
        tags: ['operations'],
        summary: 'Metrics in the text exposition format',
        description: 'Requires no key. Label values come from the configuration only.',
        security: [],
        produces: ['text/plain'],
        response: { 200: Type.String({ description: 'Prometheus text format.' }) },
      },
    },
    async (_request, reply) => {
      const { body, contentType } = await surface.metrics.expose(surface.gateway);
      return reply.type(contentType).send(body);
    },
  );
}
