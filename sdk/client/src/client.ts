import { Approvals } from './approvals.ts';
import { Audit } from './audit.ts';
import { ChatStream } from './chat-stream.ts';
import type {
  ChatCompletion,
  ChatRequest,
  Health,
  ModelList,
  RagDelete,
  RagDeleted,
  RagErased,
  RagFound,
  RagIndex,
  RagIndexed,
  RagQuery,
  RouteList,
} from './openapi.ts';
import { Runs } from './runs.ts';
import { type Call, type CallOptions, type ClientOptions, Transport } from './transport.ts';

/** A completion, with the run's data from the response headers. */
export type ChatAnswer = ChatCompletion & {
  /** `<seq> <hash>` of the run's ledger record. Null while the run waits for an approver. */
  readonly svc_evidence: string | null;
};

/** Not idempotent: each chat creates a run. */
function chatCall(request: Omit<ChatRequest, 'stream'>, stream: boolean): Call {
  return { method: 'POST', path: '/v1/chat/completions', body: { ...request, stream }, idempotent: false };
}

async function chatAnswer(response: Response): Promise<ChatAnswer> {
  const completion = (await response.json()) as ChatCompletion;
  const svc_run_id = response.headers.get('x-svc-run-id');
  const svc_evidence = response.headers.get('x-svc-evidence');
  return { ...completion, ...(svc_run_id === null ? {} : { svc_run_id }), svc_evidence };
}

/**
 * A client of the gateway, based on `fetch`. Every method rejects with an `HttpStatusError` if the gateway returns an error, with a `DOMException`
 * named `TimeoutError` if the call takes too long, and with the error of `fetch` if the gateway cannot be reached.
 */
export class SvcClient {
  readonly #transport: Transport;
  readonly runs: Runs;
  readonly approvals: Approvals;
  readonly audit: Audit;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.runs = new Runs(this.#transport);
    this.approvals = new Approvals(this.#transport);
    this.audit = new Audit(this.#transport);
  }

  /**
   * Asks a model through a route. A blocked, paused or denied answer is not an error; its `finish_reason` is `content_filter`. `svc_run_id` is the
   * run's id.
   */
  chat(request: Omit<ChatRequest, 'stream'>, options: CallOptions = {}): Promise<ChatAnswer> {
    return this.#transport.read(chatCall(request, false), options, chatAnswer);
  }

  /** Resolves when the first part of the answer has arrived. */
  async chatStream(request: Omit<ChatRequest, 'stream'>, options: CallOptions = {}): Promise<ChatStream> {
    const { response, deadline } = await this.#transport.open(chatCall(request, true), options);
    return new ChatStream(response, deadline);
  }

  models(options: CallOptions = {}): Promise<ModelList> {
    return this.#transport.json({ method: 'GET', path: '/v1/models' }, options);
  }

  /** The routes that this key may call, with their attributes and nodes. */
  routes(options: CallOptions = {}): Promise<RouteList> {
    return this.#transport.json({ method: 'GET', path: '/v1/routes' }, options);
  }

  health(options: CallOptions = {}): Promise<Health> {
    return this.#transport.json({ method: 'GET', path: '/v1/health' }, options);
  }

  ragIndex(request: RagIndex, options: CallOptions = {}): Promise<RagIndexed> {
    return this.#transport.json({ method: 'POST', path: '/v1/rag/index', body: request }, options);
  }

  ragDelete(request: RagDelete, options: CallOptions = {}): Promise<RagDeleted> {
    return this.#transport.json({ method: 'POST', path: '/v1/rag/delete', body: request }, options);
  }

  /** Deletes all documents of a namespace and destroys the key of their texts. The reason is recorded. */
  ragErase(namespace: string, options: CallOptions & { readonly reason?: string } = {}): Promise<RagErased> {
    const path = `/v1/rag/namespaces/${encodeURIComponent(namespace)}`;
    return this.#transport.json({ method: 'DELETE', path, query: { reason: options.reason } }, options);
  }

  ragQuery(request: RagQuery, options: CallOptions = {}): Promise<RagFound> {
    return this.#transport.json({ method: 'POST', path: '/v1/rag/query', body: request }, options);
  }
}
