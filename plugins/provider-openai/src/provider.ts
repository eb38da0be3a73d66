import type { ChatRequest, Clock, Provider } from '@svc/sdk';
import { identityOf, UpstreamClient, type UpstreamLimits, type UpstreamTarget } from '@svc/toolkit/upstream';
import { readChunks } from './chunk-reader.ts';
import { readCompletion } from './completion.ts';
import { embeddingLimits, readEmbeddings } from './embeddings.ts';

/** The request for the upstream: without the gateway's own `svc_…` fields; `stream` is set per call. */
function bodyOf({ stream: _stream, stream_options, ...rest }: ChatRequest, streamed: boolean): string {
  const fields = withoutOurs(rest);
  if (!streamed) return JSON.stringify(fields);
  return JSON.stringify({ ...fields, stream: true, stream_options: { ...stream_options, include_usage: true } });
}

function withoutOurs(request: object): object {
  return Object.fromEntries(Object.entries(request).filter(([name]) => !name.startsWith('svc_')));
}

/** A provider for one OpenAI-compatible endpoint. Every parameter is passed on, so none is unsupported. */
export function openAiProvider(
  targets: { readonly chat: UpstreamTarget; readonly embeddings: UpstreamTarget },
  limits: UpstreamLimits,
  clock: Clock,
): Provider {
  const client = new UpstreamClient(targets.chat, limits, clock);
  // Its connections are made with its first call.
  const embedder = new UpstreamClient(targets.embeddings, limits, clock);
  return {
    async complete(request, context) {
      const text = await client.whole(bodyOf(request, false), context);
      return { completion: readCompletion(text, identityOf(request, context, clock)), unsupported: [] };
    },

    async stream(request, context) {
      const identity = identityOf(request, context, clock);
      const chunks = await client.stream(bodyOf(request, true), context, (events) => readChunks(events, identity));
      return { chunks, unsupported: [] };
    },

    async embed(request, context) {
      const text = await embedder.whole(JSON.stringify(withoutOurs(request)), context, embeddingLimits(request));
      return { ...readEmbeddings(text, request), unsupported: [] };
    },

    close: async () => {
      await client.close();
      await embedder.close();
    },
  };
}
