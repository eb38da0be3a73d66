import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { DEFAULT_ROLES } from '../../config/roles.ts';
import { requireRole } from '../auth.ts';
import { json } from '../description/samples.ts';
import { readOpenApi } from '../openapi-document.ts';
import type { Server } from '../typed-server.ts';

/** Serves the description of all endpoints. */
export function openApiEndpoint(app: Server): void {
  app.get(
    '/v1/openapi.json',
    {
      config: {
        roles: DEFAULT_ROLES,
        example: { response: json({ openapi: '3.1.0', info: { title: 'svc, the governed model gateway' }, paths: {} }) },
      },
      schema: {
        operationId: 'getOpenApi',
        tags: ['operations'],
        summary: 'Get this OpenAPI document',
        description: 'The OpenAPI document of the running release.',
        response: {
          200: Type.Object(
            { openapi: Type.String({ description: 'Version of OpenAPI.' }) },
            { additionalProperties: true, description: 'The OpenAPI document.' },
          ),
        },
      },
    },
    async (request, reply) => {
      requireRole(request);
      return sendText(reply, await readOpenApi());
    },
  );
}

/** Sends the text of the file unchanged. */
function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
