import { NAMESPACE_PATTERN } from '@svc/sdk/vectors';
import { type Static, Type } from 'typebox';

export const RagOptions = Type.Object(
  {
    namespace: Type.String({ pattern: NAMESPACE_PATTERN, description: 'Namespace of the documents.' }),
    k: Type.Integer({ default: 4, minimum: 1, maximum: 100, description: 'Maximum number of documents.' }),
    min_score: Type.Number({
      default: 0,
      minimum: -1,
      maximum: 1,
      description: 'Minimum cosine similarity of a document. Typical scores depend on the embedder.',
    }),
    filter: Type.Record(Type.String(), Type.Unknown(), {
      default: {},
      description: 'Only documents whose metadata has all of these fields with equal values.',
    }),
    max_characters: Type.Integer({
      default: 16_000,
      minimum: 100,
      maximum: 10_000_000,
      description: 'Maximum total characters of the documents. The last document is truncated to fit.',
    }),
  },
  { additionalProperties: false },
);
export type RagOptions = Static<typeof RagOptions>;
