import { Type } from 'typebox';
import { nullable, open, routeName } from './parts.ts';

/** OpenAI's limit. */
const MAX_TEXTS = 2_048;

export const EmbeddingsRequest = Type.Object(
  {
    model: Type.String({ description: 'Name of the route.', examples: ['search'] }),
    input: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: MAX_TEXTS })], {
      description: 'A text, or a list of texts. Token ids are refused, because guards cannot read them.',
    }),
    encoding_format: Type.Optional(nullable(Type.Enum(['float', 'base64']), 'Encoding of the vectors. Default: `float`.')),
    dimensions: Type.Optional(nullable(Type.Integer({ minimum: 1 }), 'Length of the vectors, if the model can shorten them.')),
  },
  { ...open, $id: 'EmbeddingsRequest', description: "OpenAI's embeddings request; other parameters are passed through." },
);

export const EmbeddingList = Type.Object(
  {
    object: Type.Literal('list', { description: 'Constant.' }),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding', { description: 'Constant.' }),
        index: Type.Integer({ description: 'Index of the text, from 0.' }),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
          description: 'The vector: numbers, or base64 of little-endian 32-bit floats.',
        }),
      }),
      { description: 'A vector for each text.' },
    ),
    model: routeName,
    usage: Type.Object(
      {
        prompt_tokens: Type.Integer({ description: 'Tokens of the texts.' }),
        total_tokens: Type.Integer({ description: 'The same as `prompt_tokens`.' }),
      },
      { description: 'Token usage, reported by the provider or counted by the gateway.' },
    ),
  },
  { $id: 'EmbeddingList', description: "OpenAI's list of embeddings." },
);
