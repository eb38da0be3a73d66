import {
  type CallContext,
  type ChatCompletionChunk,
  type ChatRequest,
  type ChatUsage,
  defineProvider,
  type Provider,
  ProviderError,
} from '@svc/sdk';
import { Type } from 'typebox';
import { ask, type ModelServer, type Reply } from './model-server.ts';

const Options = Type.Object(
  {
    url: Type.String({ pattern: '^https?://', description: 'URL for requests.' }),
    // `writeOnly` marks a secret: it is excluded from every digest.
    api_key: Type.Optional(Type.String({ writeOnly: true, description: 'Sent as a bearer token.' })),
  },
  { additionalProperties: false },
);

/** Parameters that this model server supports. Others are reported as unsupported, never dropped silently. */
const UNDERSTOOD = ['model', 'messages', 'stream', 'stream_options'];

function provider(server: ModelServer, fetch: typeof globalThis.fetch): Provider {
  return {
    async complete(request, context) {
      const reply = await ask(server, request, context, fetch);
      const message = { role: 'assistant', content: reply.text };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      const completion = { ...headOf(request, context), object: 'chat.completion' as const, choices, usage: usageOf(reply) };
      return { completion, unsupported: unsupportedIn(request) };
    },

    async stream(request, context) {
      const reply = await ask(server, request, context, fetch);
      return { chunks: chunksOf(reply, request, context), unsupported: unsupportedIn(request) };
    },
  };
}

/** This server does not stream. For one that does, read its chunks here, no faster than the consumer asks for them. */
async function* chunksOf(reply: Reply, request: ChatRequest, context: CallContext): AsyncGenerator<ChatCompletionChunk, void> {
  const head = { ...headOf(request, context), object: 'chat.completion.chunk' as const };
  const choices = [
    { index: 0, delta: { role: 'assistant', content: reply.text }, finish_reason: null },
    { index: 0, delta: {}, finish_reason: 'stop' },
  ];
  for (const choice of choices) {
    if (context.signal.aborted) throw new ProviderError('aborted');
    yield { ...head, choices: [choice], usage: null };
  }
  yield { ...head, choices: [], usage: usageOf(reply) };
}

function headOf({ model }: ChatRequest, { run_id }: CallContext): { id: string; created: number; model: string } {
  return { id: run_id, created: Math.floor(Date.now() / 1000), model };
}

function usageOf({ input_tokens, output_tokens }: Reply): ChatUsage {
  return { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens: input_tokens + output_tokens };
}

function unsupportedIn(request: ChatRequest): string[] {
  return Object.keys(request).filter((name) => !UNDERSTOOD.includes(name));
}

/** The provider `{{type}}`: see README.md. */
export default defineProvider({
  type: '{{type}}',
  options: Options,
  create: (options, { fetch }) => provider(options, fetch),
});
