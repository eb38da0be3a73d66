import type { Clock, Provider } from '@svc/sdk';
import { identityOf, turnFor, UpstreamClient, type UpstreamTarget } from '@svc/toolkit/upstream';
import { readChunks } from './answer/chunk-reader.ts';
import { readCompletion } from './answer/completion.ts';
import type { AnthropicOptions } from './request/options.ts';
import { translate } from './request/translate.ts';

/** A provider for a server of Anthropic's Messages API. */
export function anthropicProvider(target: UpstreamTarget, options: AnthropicOptions, clock: Clock): Provider {
  const client = new UpstreamClient(target, options, clock);
  return {
    async complete(request, context) {
      const { body, unsupported } = translate(request, options);
      const text = await client.whole(JSON.stringify(body), context);
      const completion = readCompletion(text, identityOf(request, context, clock));
      await turnFor(text);
      return { completion, unsupported };
    },

    async stream(request, context) {
      const { body, unsupported } = translate(request, options);
      const identity = identityOf(request, context, clock);
      const streamed = JSON.stringify({ ...body, stream: true });
      return { chunks: await client.stream(streamed, context, (events) => readChunks(events, identity)), unsupported };
    },

    close: () => client.close(),
  };
}
