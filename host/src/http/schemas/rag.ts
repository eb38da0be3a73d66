import { NAMESPACE_PATTERN } from '@svc/contracts';
import { Type } from 'typebox';
import { closed, reasonOnRecord, text } from './parts.ts';

const metadata = Type.Record(Type.String(), Type.Unknown(), { description: 'Any metadata to store with the text.' });

const namespace = Type.String({
  pattern: NAMESPACE_PATTERN,
  description: '1 to 64 letters, digits or any of `. _ -`, the first a letter or digit.',
});

/** Each document passes the guards of `rag.index_pipeline`, which takes some milliseconds. With more documents, a request would take minutes. */
const MAX_DOCUMENTS = 1_000;

export const RagIndex = Type.Object(
  {
    namespace,
    documents: Type.Array(
      Type.Object(
        { text: Type.String({ minLength: 1, description: 'The text to index.' }), metadata: Type.Optional(metadata) },
        closed,
      ),
      {
        maxItems: MAX_DOCUMENTS,
        description: 'All documents are indexed, or none. The same text with the same metadata is stored once.',
      },
    ),
  },
  { ...closed, $id: 'RagIndex', description: 'Documents to index.' },
);

export const RagIndexed = Type.Object(
  { indexed: Type.Integer({ description: 'Number of indexed documents.' }), namespace },
  { $id: 'RagIndexed', description: 'The result of an indexing request.' },
);

export const RagDelete = Type.Object(
  {
    namespace,
    ids: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 10_000,
      description: 'Ids as returned by queries. Unknown ids are ignored.',
    }),
    reason: Type.Optional(reasonOnRecord),
  },
  { ...closed, $id: 'RagDelete', description: 'Documents to delete.' },
);

export const RagDeleted = Type.Object(
  { deleted: Type.Integer({ description: 'Number of deleted documents.' }), namespace },
  { $id: 'RagDeleted', description: 'The result of a deletion.' },
);

export const RagErased = Type.Object(
  {
    namespace,
    deleted: Type.Integer({ description: 'Number of deleted documents.' }),
    backups_unreadable: Type.Boolean({
      description: 'Whether the texts of the namespace are also unreadable in existing backups of the vectors and the store.',
    }),
  },
  { $id: 'RagErased', description: 'The result of an erasure.' },
);

export const RagQuery = Type.Object(
  {
    namespace,
    query: Type.String({ minLength: 1, description: 'The query text.' }),
    k: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Maximum number of documents. Default: 4.' })),
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Only documents whose metadata has all of these fields with equal values.',
      }),
    ),
  },
  { ...closed, $id: 'RagQuery', description: 'A query to the vector store.' },
);

export const RagFound = Type.Object(
  {
    namespace,
    docs: Type.Array(
      Type.Object({ id: text('Identifier of the document.'), text: text('Text of the document, as it was indexed.'), metadata }),
      {
        description: 'The documents found.',
      },
    ),
  },
  { $id: 'RagFound', description: 'The nearest documents, most similar first.' },
);
