import { NAMESPACE_PATTERN } from '@svc/contracts';
import { Type } from 'typebox';
import { open, text } from './parts.ts';

const metadata = Type.Record(Type.String(), Type.Unknown(), { description: 'Whatever belongs to the text.' });

const namespace = Type.String({
  pattern: NAMESPACE_PATTERN,
  description: '1 to 64 letters, digits or any of `. _ -`, the first a letter or digit.',
});

/** Each goes through the guards of `rag.index_pipeline` by itself, some milliseconds: more of them would keep a request for minutes. */
const MAX_DOCUMENTS = 1_000;

export const RagIndex = Type.Object(
  {
    namespace,
    documents: Type.Array(
      Type.Object(
        { text: Type.String({ minLength: 1, description: 'What is found by its meaning.' }), metadata: Type.Optional(metadata) },
        open,
      ),
      {
        maxItems: MAX_DOCUMENTS,
        description: 'All are indexed, or none. The same text with the same metadata is kept once.',
      },
    ),
  },
  { ...open, $id: 'RagIndex', description: 'Documents to index.' },
);

export const RagIndexed = Type.Object(
  { indexed: Type.Integer({ description: 'How many documents.' }), namespace },
  { $id: 'RagIndexed', description: 'What was indexed.' },
);

export const RagDelete = Type.Object(
  {
    namespace,
    ids: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 10_000,
      description: 'As queries answer them. Unknown ones are no fault.',
    }),
  },
  { ...open, $id: 'RagDelete', description: 'Documents to delete.' },
);

export const RagDeleted = Type.Object(
  { deleted: Type.Integer({ description: 'How many were there.' }), namespace },
  { $id: 'RagDeleted', description: 'What was deleted.' },
);

export const RagQuery = Type.Object(
  {
    namespace,
    query: Type.String({ minLength: 1, description: 'What the documents should be about.' }),
    k: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'How many documents at most. Left out: 4.' })),
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Only documents whose metadata has each of these fields, and equal.',
      }),
    ),
  },
  { ...open, $id: 'RagQuery', description: 'A question to the vector store.' },
);

export const RagFound = Type.Object(
  {
    namespace,
    docs: Type.Array(Type.Object({ id: text('Identifier of the document.'), text: text('As it was indexed.'), metadata }), {
      description: 'The documents found.',
    }),
  },
  { $id: 'RagFound', description: 'The nearest documents, best first.' },
);
