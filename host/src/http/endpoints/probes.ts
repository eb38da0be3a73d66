import type { Gateway } from '@svc/runtime';
import { Type } from 'typebox';
import type { Server } from '../typed-server.ts';

/** A response without a body. */
const noBody = (description: string) => Type.Unsafe<undefined>({ type: 'null', description });
const READY = noBody('OK. The response has no body.');
const NOT_READY = noBody('Not ready. The response has no body.');

/** Serves orchestrators and load balancers: without a key, and without a body. */
export function probeEndpoints(app: Server, { gateway, isDraining }: { gateway: Gateway; isDraining: () => boolean }): void {
  app.get(
    '/livez',
    {
      config: { probe: true, quiet: true, example: { response: {} } },
      schema: {
        operationId: 'getLiveness',
        tags: ['operations'],
        summary: 'Liveness probe',
        description: 'Requires no key. The response has no body. A process that does not answer needs a restart.',
        response: { 204: READY },
      },
    },
    async (_request, reply) => reply.code(204).send(undefined),
  );

  app.get(
    '/readyz',
    {
      config: { probe: true, quiet: true, example: { response: {} } },
      schema: {
        operationId: 'getReadiness',
        tags: ['operations'],
        summary: 'Readiness probe',
        description:
          'Requires no key. The response has no body. 503 during shutdown, while stored data is being checked, and while evidence cannot be written or a required time stamp is overdue.',
        response: { 204: READY, 503: NOT_READY },
      },
    },
    async (_request, reply) => reply.code(!isDraining() && (await gateway.ready()) ? 204 : 503).send(undefined),
  );
}
