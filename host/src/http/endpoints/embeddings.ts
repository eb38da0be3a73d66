import { type ChatRequest, SvcError } from '@svc/contracts';
import { EmbeddingCall, type RunOutcome } from '@svc/kernel';
import { CHAT } from '@svc/protocols';
import { clientGone } from '../client-gone.ts';
import { askedRoute } from '../doors/asked-route.ts';
import { stopText } from '../doors/stop-text.ts';
import { embeddingList } from '../embedding-list.ts';
import { sendJson } from '../json-list.ts';
import { admitRun, releasedAfter } from '../limits.ts';
import { originOf } from '../own-origin.ts';
import { receipts } from '../receipts.ts';
import { noteRun } from '../request-log.ts';
import { EmbeddingList, EmbeddingsRequest, ErrorBody, keepHeader, ref } from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';
import { traceparentOf } from '../trace-context.ts';

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
      const { principal, runtime } = askedRoute(request, surface);
      const { input, encoding_format, dimensions, ...rest } = request.body;
      // For these null is the same as nothing, and upstreams take it for neither.
      const settings = Object.entries({ encoding_format, dimensions }).filter(([, value]) => value != null);
      if (runtime.endpoints[0]?.instance.embed === undefined)
        throw new SvcError('SVC-ROUTE-002', 'the provider of this route has no embeddings; use a route to one that has');
      const embedding = new EmbeddingCall();
      const asked: ChatRequest = { ...rest, messages: [], input, ...Object.fromEntries(settings) };
      const { release } = admitRun(surface.limits, principal, { protocol: CHAT, request: asked }, runtime.name, reply);
      const begun = surface.gateway.runs.start(
        {
          route: runtime,
          principal_id: principal.principal_id,
          team: principal.team,
          key_id: principal.key_id,
          protocol: CHAT,
          request: asked,
          embedding,
          approvers: [],
          keepAnswer: false,
          keepRequest: request.headers['x-svc-keep'] === 'request',
          synchronous: false,
          idempotency_key: null,
          traceparent: traceparentOf(request),
          sink: null,
          bytes: request.bytes,
        },
        clientGone(reply),
      );
      noteRun(request, begun);
      const outcome = await releasedAfter(begun, release);
      receipts(outcome, reply);
      if (outcome.error !== null) throw outcome.error;
      const { answer } = embedding;
      if (outcome.stop !== null || answer === null) throw refused(outcome, originOf(request));
      const { embeddings, usage } = answer;
      return sendJson(reply, embeddingList(embeddings, { model: runtime.name, usage }));
    },
  );
}

function refused(outcome: RunOutcome, origin: string): SvcError {
  return new SvcError('SVC-RUN-007', stopText(outcome, origin), { run_id: outcome.row.run_id });
}
