import type { PluginDeps, Provider } from '@svc/sdk';
import type { AnswerBody, AnswerFrame, RequestBody } from '@svc/sdk/protocol';
import { parseAnswer, UpstreamClient, type UpstreamTarget } from '@svc/toolkit/upstream';
import { bodyOf } from './body.ts';
import { MessageEvents } from './frames.ts';
import { headersOf } from './headers.ts';
import type { AnthropicOptions } from './options.ts';

/** A provider for Anthropic's Messages API. Passes bodies on unconverted. */
export function anthropicProvider(
  target: UpstreamTarget,
  options: AnthropicOptions,
  deps: PluginDeps,
): Provider<RequestBody, AnswerBody, AnswerFrame> {
  const client = new UpstreamClient(target, options, deps);
  const callOf = (request: RequestBody) => {
    const { body, unsupported } = bodyOf(request, options);
    const { headers, unsupported: unsent } = headersOf(request, options);
    return { body, headers, unsupported: [...unsupported, ...unsent] };
  };
  return {
    protocols: ['anthropic.messages'],
    vendor: options.base_url,

    async complete(request, context) {
      const { body, headers, unsupported } = callOf(request);
      const text = await client.whole(JSON.stringify(body), context, undefined, headers);
      return { completion: parseAnswer(text) as unknown as AnswerBody, unsupported };
    },

    async stream(request, context) {
      const { body, headers, unsupported } = callOf(request);
      const streamed = JSON.stringify({ ...body, stream: true });
      return { chunks: await client.stream(streamed, context, new MessageEvents(), headers), unsupported };
    },

    close: () => client.close(),
  };
}
