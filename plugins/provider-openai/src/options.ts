import { limitOptions, openAiAccountOptions, openAiTarget, type UpstreamTarget } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';

export const OpenAiOptions = Type.Object(
  {
    base_url: Type.String({
      description: 'http or https URL up to, without, `/chat/completions` or `/embeddings`: `https://api.openai.com/v1`.',
    }),
    ...openAiAccountOptions,
    ...limitOptions,
  },
  { additionalProperties: false },
);
export type OpenAiOptions = Static<typeof OpenAiOptions>;

/** @throws {Error} naming the key and the remedy, never a value. */
export function targetsOf(options: OpenAiOptions): { chat: UpstreamTarget; embeddings: UpstreamTarget } {
  return { chat: openAiTarget(options, '/chat/completions'), embeddings: openAiTarget(options, '/embeddings') };
}
