import { limitOptions, openAiAccountOptions, openAiTarget, type UpstreamTarget } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';
import { EXTENSIONS } from './chat/extensions.ts';

export const OpenAiOptions = Type.Object(
  {
    base_url: Type.String({
      description:
        'http or https URL up to, without, `/chat/completions`, `/responses` or `/embeddings`: `https://api.openai.com/v1`.',
    }),
    api: Type.Enum(['chat_completions', 'responses'], {
      default: 'chat_completions',
      description:
        "How chats are asked: through `/chat/completions`, or `/responses`, which keeps a model's encrypted reasoning between turns.",
    }),
    ...openAiAccountOptions,
    extensions: Type.Array(Type.Enum([...EXTENSIONS]), {
      default: [],
      uniqueItems: true,
      description: "Fields of Anthropic's Messages API that the server takes; others are not sent, and recorded as unsupported.",
    }),
    ...limitOptions,
  },
  { additionalProperties: false },
);
export type OpenAiOptions = Static<typeof OpenAiOptions>;

/** @throws {Error} naming the key and the remedy, never a value. */
export function targetsOf(options: OpenAiOptions): { chat: UpstreamTarget; embeddings: UpstreamTarget } {
  const path = options.api === 'responses' ? '/responses' : '/chat/completions';
  return { chat: openAiTarget(options, path), embeddings: openAiTarget(options, '/embeddings') };
}
