import { type ChatRequest, type JsonObject, type RagDocument, SvcError } from '@svc/contracts';
import type { RunStop } from '@svc/kernel';
import type { PipelineEnv } from '@svc/kernel/guards';
import type { PipelineNode } from '@svc/kernel/routes';
import { CHAT } from '@svc/protocols';
import { screenRequest } from '@svc/runtime';

export type NewDocument = Omit<RagDocument, 'id'>;

interface Screening extends Omit<PipelineEnv, 'policy' | 'texts'> {
  readonly index_pipeline: readonly PipelineNode[];
  readonly principal_id: string;
  readonly signal: AbortSignal;
}

/** `ctx.route` as guards see it. No route can have this name. */
const INDEXING = '(rag index)';

/**
 * The documents as the guards have edited them, in text and metadata, including keys. A document that would pause a run is refused, because nobody
 * could approve it.
 * @throws {SvcError} SVC-RAG-002, SVC-REQ-001
 */
export async function screen(documents: readonly NewDocument[], screening: Screening): Promise<readonly NewDocument[]> {
  const { index_pipeline } = screening;
  if (index_pipeline.length === 0) return documents;
  const passed: NewDocument[] = [];
  for (const [index, document] of documents.entries()) {
    const request = requestOf(document);
    const stop = await screenRequest(CHAT, request, { ...screening, name: INDEXING, nodes: index_pipeline });
    if (stop !== null) throw refusal(stop, index);
    const [message] = request.messages;
    if (typeof message?.content !== 'string') throw new Error('a guard removed the text of a document');
    passed.push({ text: message.content, metadata: message.metadata as JsonObject });
  }
  return passed;
}

/**
 * A request for a document, because guards check requests. The document becomes a tool message: like a tool result, retrieved text was not written by
 * the caller.
 */
function requestOf({ text, metadata }: NewDocument): ChatRequest {
  return { model: INDEXING, messages: [{ role: 'tool', content: text, metadata: structuredClone(metadata) }] };
}

function refusal(stop: RunStop, index: number): SvcError {
  switch (stop.kind) {
    case 'blocked':
    case 'paused':
      return new SvcError(
        'SVC-RAG-002',
        `body/documents/${index} was rejected by the guard ${stop.node} (${stop.code}); no document of this request was indexed`,
      );
    case 'failed':
      return stop.error;
    case 'stopped':
      return stop.error;
    case 'disconnected':
    case 'interrupted':
      return new SvcError('SVC-BUSY-001', 'indexing was canceled');
  }
}
