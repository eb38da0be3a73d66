import { connectionOptions, openAiAccountOptions } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';

export const OpenAiOptions = Type.Object(
  {
    base_url: Type.String({ description: 'http or https URL without `/embeddings`, such as `https://api.openai.com/v1`.' }),
    ...openAiAccountOptions,
    model: Type.String({
      pattern: '^[\\x21-\\x7e]{1,150}$',
      description: "The server's name for the model. It is stored with the vectors: after a change, index all documents again.",
    }),
    dimensions: Type.Integer({
      minimum: 1,
      maximum: 65_536,
      description: "Length of the model's vectors, such as 1536 for text-embedding-3-small or 3072 for text-embedding-3-large.",
    }),
    shorten: Type.Boolean({
      default: false,
      description: 'Request vectors of this length from a model with longer vectors that can shorten them.',
    }),
    batch_size: Type.Integer({ default: 96, minimum: 1, maximum: 2048, description: 'Maximum texts per call.' }),
    batch_characters: Type.Integer({
      default: 200_000,
      minimum: 1,
      description: 'Maximum characters per call, because servers limit the tokens of a call. A longer text is sent alone.',
    }),
    timeout_ms: Type.Integer({
      default: 60_000,
      minimum: 1,
      maximum: 3_600_000,
      description: 'Timeout of one call, in milliseconds.',
    }),
    ...connectionOptions,
    connections: { ...connectionOptions.connections, default: 16 },
  },
  { additionalProperties: false },
);
export type OpenAiOptions = Static<typeof OpenAiOptions>;
