import type { CallContext, ChatRequest, Clock, Provider } from '@svc/sdk/plugin';
import { ChunkStream } from './chunk-stream.ts';
import { Client } from './client.ts';
import type { Identity } from './common-fields.ts';
import { readCompletion } from './completion.ts';
import { malformed } from './failures.ts';
import type { OpenAiOptions, Target } from './options.ts';

/** The request as it leaves: the gateway's own `svc_…` fields stay here, streaming is this call's affair. */
function bodyOf({ stream: _stream, stream_options, ...rest }: ChatRequest, streamed: boolean): string {
  const fields = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('svc_')));
  if (!streamed) return JSON.stringify(fields);
  return JSON.stringify({ ...fields, stream: true, stream_options: { ...stream_options, include_usage: true } });
}

function isEventStream(type: string | string[] | undefined): boolean {
  return typeof type === 'string' && /^text\/event-stream\s*(;|$)/i.test(type);
}

/** A provider before one OpenAI-compatible endpoint. Every parameter is passed on, so none is unsupported. */
export function openAiProvider(target: Target, options: OpenAiOptions, clock: Clock): Provider {
  const client = new Client(target, options, clock);
  const identityOf = (request: ChatRequest, context: CallContext): Identity => ({
    id: `chatcmpl-${context.run_id}`,
    created: Math.floor(clock.now() / 1000),
    model: request.model,
  });

  return {
    async complete(request, context) {
      const text = await client.postForText(bodyOf(request, false), context);
      return { completion: readCompletion(text, identityOf(request, context)), unsupported: [] };
    },

    async stream(request, context) {
      const { body, headers } = await client.postForStream(bodyOf(request, true), context);
      if (!isEventStream(headers['content-type'])) {
        body.destroy();
        throw malformed('not an event stream');
      }
      return { chunks: new ChunkStream(body, identityOf(request, context), context), unsupported: [] };
    },

    close: () => client.close(),
  };
}
