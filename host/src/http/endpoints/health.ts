import type { Gateway } from '@svc/runtime';
import { Type } from 'typebox';
import { DEFAULT_ROLES } from '../../config/roles.ts';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';
import { requireRole } from '../auth.ts';
import { config_digest, config_path, json } from '../description/samples.ts';
import { ErrorBody, Health, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';
import type { Configuration } from './configuration.ts';

interface Parts {
  readonly gateway: Gateway;
  readonly configuration: Configuration;
  readonly metrics: Metrics;
  /** Whether the gateway is about to stop, so that new connections should go elsewhere. */
  readonly isDraining: () => boolean;
}

export function healthEndpoints(app: Server, { gateway, configuration, metrics, isDraining }: Parts): void {
  app.get(
    '/v1/health',
    {
      config: {
        roles: DEFAULT_ROLES,
        example: {
          response: json({ status: 'ok', config_digest, config_path }),
          others: { 503: json({ status: 'unavailable', reason: 'store', config_digest, config_path }) },
        },
      },
      schema: {
        operationId: 'getHealth',
        tags: ['operations'],
        summary: 'Get the health and the configuration digest',
        description:
          '503 with the same body while evidence cannot be written or a required time stamp is overdue, and during shutdown. 503 with an error if a token cannot be checked (`SVC-AUTH-004`).',
        response: { 200: ref(Health), 503: Type.Union([ref(Health), ref(ErrorBody)]) },
      },
    },
    async (request, reply) => {
      requireRole(request);
      const about = { config_digest: configuration.digest, config_path: configuration.path };
      if (isDraining()) return reply.code(503).send({ status: 'stopping', ...about });
      const reason = (await gateway.writable()) ? (gateway.lacksTimestamp ? 'timestamp' : null) : 'store';
      if (reason !== null) return reply.code(503).send({ status: 'unavailable', reason, ...about });
      return reply.code(200).send({ status: 'ok', ...about });
    },
  );

  app.get(
    '/metrics',
    {
      config: {
        public: true,
        quiet: true,
        example: { response: { 'text/plain': 'svc_runs_total{route="chat",status="completed"} 1\n' } },
      },
      schema: {
        operationId: 'getMetrics',
        tags: ['operations'],
        summary: 'Get metrics in the Prometheus text format',
        description: 'Requires no key. Label values come from the configuration only.',
        produces: ['text/plain'],
        response: { 200: Type.String({ description: 'Prometheus text format.' }) },
      },
    },
    async (_request, reply) => {
      const { body, contentType } = await metrics.expose(gateway);
      return reply.type(contentType).send(body);
    },
  );
}
