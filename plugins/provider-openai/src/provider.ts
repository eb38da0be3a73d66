import type { Clock, PluginDeps, Provider } from '@svc/sdk';
import { withoutGatewayFields } from '@svc/sdk/protocol';
import type { AnyProvider } from '@svc/sdk/provider';
import { identityOf, UpstreamClient } from '@svc/toolkit/upstream';
import { type ChatApi, chatCompletions } from './chat/api.ts';
import { embeddingsReader, MAX_VECTORS_BYTES, readEmbeddings } from './embeddings.ts';
import { type OpenAiOptions, serverOf } from './options.ts';
import { responsesCalls } from './responses.ts';

/**
 * A provider for one OpenAI-compatible endpoint.
 * @throws {Error} for options that cannot be used, see {@link serverOf}
 */
export function openAiProvider(options: OpenAiOptions, deps: PluginDeps): AnyProvider {
  const server = serverOf(options);
  const client = new UpstreamClient(server.chat, options, deps);
  // Connects only on the first call.
  const max_response_bytes = options.max_response_bytes + MAX_VECTORS_BYTES;
  const embedder = new UpstreamClient(server.embeddings, { ...options, max_response_bytes }, deps);
  return {
    vendor: server.vendor,
    ...(options.api === 'responses'
      ? responsesCalls(client)
      : chatCalls(client, chatCompletions(options.extensions, server), deps.clock)),

    async embed(request, context) {
      const reader = embeddingsReader(request, options.max_response_bytes);
      const text = await embedder.gather(JSON.stringify(withoutGatewayFields(request)), context, reader);
      return { ...readEmbeddings(text, reader, request), unsupported: [] };
    },

    close: async () => {
      await client.close();
      await embedder.close();
    },
  };
}

function chatCalls(client: UpstreamClient, api: ChatApi, clock: Clock): Pick<Provider, 'complete' | 'stream'> {
  return {
    async complete(request, context) {
      const { body, unsupported } = api.request(request, false);
      const text = await client.whole(body, context);
      return { completion: api.completion(text, identityOf(request, context, clock)), unsupported };
    },

    async stream(request, context) {
      const identity = identityOf(request, context, clock);
      const { body, unsupported } = api.request(request, true);
      return { chunks: await client.stream(body, context, api.chunks(identity)), unsupported };
    },
  };
}
