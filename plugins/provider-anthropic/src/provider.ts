import type { ChatRequest, Clock, Provider } from '@svc/sdk';
import { identityOf, turnFor, UpstreamClient, type UpstreamTarget } from '@svc/toolkit/upstream';
import { readChunks } from './answer/chunk-reader.ts';
import { readCompletion } from './answer/completion.ts';
import { headersOf } from './request/headers.ts';
import type { AnthropicOptions } from './request/options.ts';
import { translate } from './request/translate.ts';

/** A provider for a server of Anthropic's Messages API. */
export function anthropicProvider(target: UpstreamTarget, options: AnthropicOptions, clock: Clock): Provider {
  const client = new UpstreamClient(target, options, clock);
  const callOf = (request: ChatRequest) => {
    const { body, unsupported } = translate(request, options);
    const { headers, unsupported: unsent } = headersOf(request, options);
    return { body, headers, unsupported: [...unsupported, ...unsent] };
  };
  return {
    async complete(request, context) {
      const { body, headers, unsupported } = callOf(request);
      const text = await client.whole(JSON.stringify(body), context, undefined, headers);
      const completion = readCompletion(text, identityOf(request, context, clock));
      await turnFor(text);
      return { completion, unsupported };
    },

    async stream(request, context) {
      const { body, headers, unsupported } = callOf(request);
      const identity = identityOf(request, context, clock);
      const streamed = JSON.stringify({ ...body, stream: true });
      const chunks = await client.stream(streamed, context, (events) => readChunks(events, identity), headers);
      return { chunks, unsupported };
    },

    close: () => client.close(),
  };
}
