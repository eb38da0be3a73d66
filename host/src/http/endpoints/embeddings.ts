import type { ChatRequest } from '@svc/contracts';
import { ASKS_MODEL, RUN_HEADERS } from '../description/answers.ts';
import { json, route as sample } from '../description/samples.ts';
import { askedRoute } from '../doors/asked-route.ts';
import { embedTexts } from '../doors/embed-texts.ts';
import type { DoorParts } from '../doors/serve.ts';
import { embeddingList } from '../embedding-list.ts';
import { sendJson } from '../json-list.ts';
import { EmbeddingList, EmbeddingsRequest, ref, runHeaders } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

export function embeddingsEndpoint(app: Server, parts: DoorParts): void {
  app.post(
    '/v1/embeddings',
    {
      attachValidation: true,
      config: {
        ...ASKS_MODEL,
        errors: [...ASKS_MODEL.errors, 'SVC-ROUTE-002', 'SVC-RUN-007'],
        headers: [...RUN_HEADERS, 'x-svc-unsupported'],
        example: {
          request: { model: sample, input: ['Transfers take one working day.'] },
          response: json({
            object: 'list',
            data: [{ object: 'embedding', index: 0, embedding: [0.6, 0.8] }],
            model: sample,
            usage: { prompt_tokens: 7, total_tokens: 7 },
          }),
        },
      },
      schema: {
        operationId: 'createEmbeddings',
        tags: ['chat'],
        summary: 'Create embeddings through a route',
        description:
          'The guards in `ingress` check the texts. A guard that would ask for approval blocks the request (422). So does a guard that would mask a text, unless the route has `embeddings: mask`. Fallbacks are not tried, because vectors of two models cannot be compared.',
        headers: runHeaders,
        body: ref(EmbeddingsRequest),
        response: { 200: ref(EmbeddingList) },
      },
    },
    async (request, reply) => {
      const route = askedRoute(request, parts.active);
      const { input, encoding_format, dimensions, ...rest } = request.body;
      // In these fields, null means absent. Upstreams do not accept null.
      const settings = Object.entries({ encoding_format, dimensions }).filter(([, value]) => value != null);
      const asked: ChatRequest = { ...rest, messages: [], input, ...Object.fromEntries(settings) };
      const { embeddings, usage } = await embedTexts(asked, route, parts, request, reply);
      return sendJson(reply, embeddingList(embeddings, { model: route.runtime.name, usage }));
    },
  );
}
