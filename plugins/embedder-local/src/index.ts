import { defineEmbedder } from '@svc/sdk/vectors';
import { Type } from 'typebox';
import { LocalEmbedder } from './local-embedder.ts';

/** Embedder: hashed words and character n-grams. It matches spelling, not meaning. See README.md. */
export default defineEmbedder({
  type: 'local',
  options: Type.Object(
    {
      dimensions: Type.Integer({
        default: 1024,
        minimum: 64,
        maximum: 4096,
        description: 'Dimensions of the vectors. More dimensions distinguish more words, but memory and time grow in proportion.',
      }),
    },
    { additionalProperties: false },
  ),
  create: ({ dimensions }) => new LocalEmbedder(dimensions),
});
