import { Type } from 'typebox';
import type { Server, Surface } from '../surface.ts';

/** Described as OpenAPI describes no body, and sent as none. */
const noBody = (description: string) => Type.Unsafe<undefined>({ type: 'null', description });
const READY = noBody('Yes. There is no body.');
const NOT_READY = noBody('No. There is no body.');

/** For what starts, restarts and balances gateways: no key, and an answer without content. */
export function probeEndpoints(app: Server, { gateway, isDraining }: Surface): void {
  app.get(
    '/livez',
    {
      config: { probe: true, quiet: true },
      schema: {
        operationId: 'getLiveness',
        tags: ['operations'],
        summary: 'Whether the process answers',
        description: 'Requires no key, and says nothing else. A process that does not answer needs a restart.',
        security: [],
        response: { 204: READY },
      },
    },
    async (_request, reply) => reply.code(204).send(undefined),
  );

  app.get(
    '/readyz',
    {
      config: { probe: true, quiet: true },
      schema: {
        operationId: 'getReadiness',
        tags: ['operations'],
        summary: 'Whether requests should be sent here',
        description:
          'Requires no key, and says nothing else. 503 during shutdown, while stored data is still being checked, and while evidence cannot be written.',
        security: [],
        response: { 204: READY, 503: NOT_READY },
      },
    },
    async (_request, reply) => reply.code(!isDraining() && (await gateway.ready()) ? 204 : 503).send(undefined),
  );
}
