import type { ChatRequest, Clock, Provider } from '@svc/sdk';
import { identityOf, UpstreamClient, type UpstreamLimits } from '@svc/toolkit/upstream';
import { readChunks } from './chunk-reader.ts';
import { readCompletion } from './completion.ts';
import { embeddingLimits, readEmbeddings } from './embeddings.ts';
import type { OpenAiServer } from './options.ts';

/** The request for the upstream: without the gateway's own `svc_…` fields. */
function wholeBody({ stream: _stream, stream_options: _options, ...rest }: ChatRequest): string {
  return JSON.stringify(withoutOurs(rest));
}

function streamedBody({ stream: _stream, stream_options, ...rest }: ChatRequest, server: OpenAiServer): string {
  const asked = server.stream_options && { stream_options: { ...stream_options, include_usage: true } };
  return JSON.stringify({ ...withoutOurs(rest), stream: true, ...asked });
}

function withoutOurs(request: object): object {
  return Object.fromEntries(Object.entries(request).filter(([name]) => !name.startsWith('svc_')));
}

/** A provider for one OpenAI-compatible endpoint. Every parameter that the server takes is passed on. */
export function openAiProvider(server: OpenAiServer, limits: UpstreamLimits, clock: Clock): Provider {
  const client = new UpstreamClient(server.chat, limits, clock);
  // Its connections are made with its first call.
  const embedder = new UpstreamClient(server.embeddings, limits, clock);
  return {
    async complete(request, context) {
      const text = await client.whole(wholeBody(request), context);
      return { completion: readCompletion(text, identityOf(request, context, clock)), unsupported: [] };
    },

    async stream(request, context) {
      const identity = identityOf(request, context, clock);
      const chunks = await client.stream(streamedBody(request, server), context, (events) => readChunks(events, identity));
      // Usage is told to the caller by the gateway itself.
      const lost = !server.stream_options && Object.keys(request.stream_options ?? {}).some((name) => name !== 'include_usage');
      return { chunks, unsupported: lost ? ['stream_options'] : [] };
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
