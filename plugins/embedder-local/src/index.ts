import { defineEmbedder } from '@svc/sdk';
import { Type } from 'typebox';
import { LocalEmbedder } from './local-embedder.ts';

/** Embedder: hashed words and character n-grams. It finds what is written alike, not what means the same. See README.md. */
export default defineEmbedder({
  type: 'local',
  options: Type.Object(
    {
      dimensions: Type.Integer({
        default: 1024,
        minimum: 64,
        maximum: 4096,
        description: 'Length of the vectors. More of it tells more words apart, and costs memory and time in proportion.',
      }),
    },
    { additionalProperties: false },
  ),
  create: ({ dimensions }) => new LocalEmbedder(dimensions),
});
