import { connectionOptions, openAiAccountOptions } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';

export const OpenAiOptions = Type.Object(
  {
    base_url: Type.String({ description: 'http or https URL up to, without, `/embeddings`: `https://api.openai.com/v1`.' }),
    ...openAiAccountOptions,
    model: Type.String({
      pattern: '^[\\x21-\\x7e]{1,150}$',
      description: "The server's name of the model. Kept beside the vectors: another one means to index again.",
    }),
    dimensions: Type.Integer({
      minimum: 1,
      maximum: 65_536,
      description: "Length of the model's vectors: 1536 for text-embedding-3-small, 3072 for text-embedding-3-large.",
    }),
    shorten: Type.Boolean({
      default: false,
      description: 'Ask the server for vectors of this length, where the model has longer ones and can shorten them.',
    }),
    batch_size: Type.Integer({ default: 96, minimum: 1, maximum: 2048, description: 'Texts in one call.' }),
    batch_characters: Type.Integer({
      default: 200_000,
      minimum: 1,
      description: 'Characters in one call; a text that is longer goes alone. Servers bound the tokens of a call.',
    }),
    timeout_ms: Type.Integer({
      default: 60_000,
      minimum: 1,
      maximum: 3_600_000,
      description: 'Longest time for one call, in milliseconds.',
    }),
    ...connectionOptions,
    connections: { ...connectionOptions.connections, default: 16 },
  },
  { additionalProperties: false },
);
export type OpenAiOptions = Static<typeof OpenAiOptions>;
