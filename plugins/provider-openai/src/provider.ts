import type { ChatRequest, Clock, Provider } from '@svc/sdk';
import { identityOf, UpstreamClient, type UpstreamLimits, type UpstreamTarget } from '@svc/toolkit/upstream';
import { readChunks } from './chunk-reader.ts';
import { readCompletion } from './completion.ts';

/** The request for the upstream: without the gateway's own `svc_…` fields; `stream` is set per call. */
function bodyOf({ stream: _stream, stream_options, ...fields }: ChatRequest, streamed: boolean): string {
  for (const name of Object.keys(fields)) if (name.startsWith('svc_')) delete fields[name];
  if (!streamed) return JSON.stringify(fields);
  return JSON.stringify({ ...fields, stream: true, stream_options: { ...stream_options, include_usage: true } });
}

/** A provider for one OpenAI-compatible endpoint. Every parameter is passed on, so none is unsupported. */
export function openAiProvider(target: UpstreamTarget, limits: UpstreamLimits, clock: Clock): Provider {
  const client = new UpstreamClient(target, limits, clock);
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

    close: () => client.close(),
  };
}
