import { BytesInFlight } from '../bytes-in-flight.ts';
import { type ChatRequest, type JsonObject, SvcError } from '../contracts/index.ts';
import {
  goneRoute,
  type Halt,
  type PipelineEnv,
  type PipelineNode,
  type PipelineRun,
  runStage,
  STAGE_START,
  Timeline,
} from '../pipeline/index.ts';
import { newRunId } from '../runs/run-id.ts';
import type { NewDocument } from './rag.ts';

interface Screening extends PipelineEnv {
  readonly index_pipeline: readonly PipelineNode[];
  readonly principal_id: string;
  readonly signal: AbortSignal;
}

/** How guards are told where they are, as `ctx.route`. No route can have this name. */
const INDEXING = '(rag index)';

/**
 * The documents as the guards let them into the index: text and metadata, keys included, sanitized. What would pause a run is refused too:
 * there is nobody to ask.
 * @throws {SvcError} SVC-RAG-002, SVC-REQ-001
 */
export async function screen(documents: readonly NewDocument[], screening: Screening): Promise<readonly NewDocument[]> {
  if (screening.index_pipeline.length === 0) return documents;
  const passed: NewDocument[] = [];
  for (const [index, document] of documents.entries()) {
    const run = pseudoRun(document, screening);
    const halt = await runStage(run, 'ingress', STAGE_START, () => false, screening);
    if (halt !== null) throw refusal(halt, index);
    const [message] = run.request.messages;
    if (typeof message?.content !== 'string') throw new Error('a document lost its text');
    passed.push({ text: message.content, metadata: message.metadata as JsonObject });
  }
  return passed;
}

/** Guards know requests only, so a document is shown as one: like what a tool gave back, which nobody asked for either. */
function pseudoRun({ text, metadata }: NewDocument, { index_pipeline, principal_id, clock, signal }: Screening): PipelineRun {
  const request: ChatRequest = {
    model: INDEXING,
    messages: [{ role: 'tool', content: text, metadata: structuredClone(metadata) }],
  };
  const abort = new AbortController();
  if (signal.aborted) abort.abort('disconnected');
  else signal.addEventListener('abort', () => abort.abort('disconnected'), { once: true });
  return {
    run_id: newRunId(clock.now()),
    principal_id,
    route: { ...goneRoute(INDEXING), ingress: index_pipeline },
    request,
    completion: null,
    states: new Map(),
    spend: [],
    unbilled: false,
    events: [],
    abort,
    admitted: false,
    timeline: new Timeline(),
    startWrite: null,
    // Documents are counted by whoever took them.
    bytes: new BytesInFlight(Number.POSITIVE_INFINITY).reserve(),
  };
}

function refusal(halt: Halt, index: number): SvcError {
  switch (halt.kind) {
    case 'blocked':
    case 'paused':
      return new SvcError(
        'SVC-RAG-002',
        `body/documents/${index} was refused by ${halt.node} (${halt.code}); nothing of this request was indexed`,
      );
    case 'failed':
      return halt.error;
    case 'disconnected':
    case 'interrupted':
      return new SvcError('SVC-BUSY-001', 'the indexing was given up');
  }
}
