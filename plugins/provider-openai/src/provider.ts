import type { ChatRequest, Clock, Provider } from '@svc/sdk';
import { identityOf, UpstreamClient, type UpstreamLimits, type UpstreamTarget } from '@svc/toolkit/upstream';
import { readChunks } from './chunk-reader.ts';
import { readCompletion } from './completion.ts';
import { embeddingLimits, readEmbeddings } from './embeddings.ts';
import { type Extension, withoutExtensions } from './extensions.ts';

/** The request for the upstream: without the gateway's own `svc_…` fields; `stream` is set per call. */
function bodyOf({ stream: _stream, stream_options, ...rest }: ChatRequest, streamed: boolean): string {
  const fields = withoutOurs(rest);
  if (!streamed) return JSON.stringify(fields);
  return JSON.stringify({ ...fields, stream: true, stream_options: { ...stream_options, include_usage: true } });
}

function withoutOurs(request: object): object {
  return Object.fromEntries(Object.entries(request).filter(([name]) => !name.startsWith('svc_')));
}

/** A provider for one OpenAI-compatible endpoint. Every parameter is passed on but the extensions that the server does not take. */
export function openAiProvider(
  targets: { readonly chat: UpstreamTarget; readonly embeddings: UpstreamTarget },
  { extensions, ...limits }: UpstreamLimits & { readonly extensions: readonly Extension[] },
  clock: Clock,
): Provider {
  const client = new UpstreamClient(targets.chat, limits, clock);
  // Its connections are made with its first call.
  const embedder = new UpstreamClient(targets.embeddings, limits, clock);
  return {
    async complete(request, context) {
      const { request: asked, unsupported } = withoutExtensions(request, extensions);
      const text = await client.whole(bodyOf(asked, false), context);
      return { completion: readCompletion(text, identityOf(request, context, clock)), unsupported };
    },

    async stream(request, context) {
      const identity = identityOf(request, context, clock);
      const { request: asked, unsupported } = withoutExtensions(request, extensions);
      const chunks = await client.stream(bodyOf(asked, true), context, (events) => readChunks(events, identity));
      return { chunks, unsupported };
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
