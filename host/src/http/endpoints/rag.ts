import { SvcError } from '@svc/kernel/contracts';
import { requireRole } from '../auth.ts';
import { ErrorBody, RagFound, RagIndex, RagIndexed, RagQuery, ref } from '../schemas.ts';
import type { Server } from '../surface.ts';

/** RAG is not part of this release: both endpoints say so before they look at a body. */
export function ragEndpoints(app: Server): void {
  const refuse = async (request: Parameters<typeof requireRole>[0]): Promise<never> => {
    requireRole(request, 'rag');
    throw new SvcError('SVC-RAG-001', 'RAG is not configured on this server');
  };
  const common = { tags: ['rag'], description: 'Answers 503 unless RAG is configured.' };
  app.post(
    '/v1/rag/index',
    {
      preParsing: refuse,
      schema: {
        ...common,
        operationId: 'indexDocuments',
        summary: 'Index documents',
        body: ref(RagIndex),
        response: { 200: ref(RagIndexed), 503: ref(ErrorBody) },
      },
    },
    refuse,
  );
  app.post(
    '/v1/rag/query',
    {
      preParsing: refuse,
      schema: {
        ...common,
        operationId: 'queryDocuments',
        summary: 'Query the vector store',
        body: ref(RagQuery),
        response: { 200: ref(RagFound), 503: ref(ErrorBody) },
      },
    },
    refuse,
  );
}
