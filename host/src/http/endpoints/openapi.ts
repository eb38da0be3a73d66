import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { requireRole } from '../auth.ts';
import { readOpenApi } from '../openapi-document.ts';
import type { Server } from '../surface.ts';

/** The description of all endpoints, this one among them. */
export function openApiEndpoint(app: Server): void {
  app.get(
    '/v1/openapi.json',
    {
      schema: {
        operationId: 'getOpenApi',
        tags: ['operations'],
        summary: 'This description',
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
      requireRole(request, 'call', 'approve', 'audit', 'rag');
      return sendText(reply, await readOpenApi());
    },
  );
}

/** As it is in the file: a text is not serialized once more. */
function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
