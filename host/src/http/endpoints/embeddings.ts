import type { ChatRequest } from '@svc/contracts';
import { askedRoute } from '../doors/asked-route.ts';
import { embedTexts } from '../doors/embed-texts.ts';
import { embeddingList } from '../embedding-list.ts';
import { sendJson } from '../json-list.ts';
import { EmbeddingList, EmbeddingsRequest, ErrorBody, keepHeader, ref } from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';

export function embeddingsEndpoint(app: Server, surface: Surface): void {
  app.post(
    '/v1/embeddings',
    {
      attachValidation: true,
      config: { metered: true },
      schema: {
        operationId: 'createEmbeddings',
        tags: ['chat'],
        summary: 'Turn texts into vectors through a route',
        description:
          'The guards in `ingress` check the texts. A guard that masks, or asks for approval, blocks: a masked text would be indexed without a word. What is blocked is 422. Fallbacks are not tried, since vectors of two models cannot be compared.',
        headers: keepHeader,
        body: ref(EmbeddingsRequest),
        response: { 200: ref(EmbeddingList), 400: ref(ErrorBody), 404: ref(ErrorBody), 422: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const route = askedRoute(request, surface);
      const { input, encoding_format, dimensions, ...rest } = request.body;
      // For these null is the same as nothing, and upstreams take it for neither.
      const settings = Object.entries({ encoding_format, dimensions }).filter(([, value]) => value != null);
      const asked: ChatRequest = { ...rest, messages: [], input, ...Object.fromEntries(settings) };
      const { embeddings, usage } = await embedTexts(asked, route, surface, request, reply);
      return sendJson(reply, embeddingList(embeddings, { model: route.runtime.name, usage }));
    },
  );
}
