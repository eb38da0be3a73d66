import { NAMESPACE_PATTERN } from '@svc/sdk/vectors';
import { type Static, Type } from 'typebox';

export const RagOptions = Type.Object(
  {
    namespace: Type.String({ pattern: NAMESPACE_PATTERN, description: 'Where the documents are, as they were indexed.' }),
    k: Type.Integer({ default: 4, minimum: 1, maximum: 100, description: 'How many documents at most.' }),
    min_score: Type.Number({
      default: 0,
      minimum: -1,
      maximum: 1,
      description: 'Documents that are less near than this are left out. What is near depends on the embedder.',
    }),
    filter: Type.Record(Type.String(), Type.Unknown(), {
      default: {},
      description: 'Only documents whose metadata has all of these fields with equal values.',
    }),
    max_characters: Type.Integer({
      default: 16_000,
      minimum: 100,
      maximum: 10_000_000,
      description: 'Most characters of documents together; the last one that fits in part is cut.',
    }),
  },
  { additionalProperties: false },
);
export type RagOptions = Static<typeof RagOptions>;
