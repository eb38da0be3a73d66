import {
  type Clock,
  type Embedder,
  type FoundDocument,
  isStoreError,
  type Logger,
  NAMESPACE_PATTERN,
  ProviderError,
  type RagDocument,
  type RetrieveOptions,
  type Retriever,
  SvcError,
  type Vectors,
} from '@svc/contracts';
import {
  asProviderError,
  callerError,
  type GuardWorkers,
  type Observer,
  type PipelineNode,
  type RagOutcome,
  type RagWork,
  safeObserver,
  UnderWay,
} from '@svc/kernel';
import { canonicalJson, sha256 } from '@svc/ledger';
import { screen } from './screen.ts';

interface RagParts {
  readonly embedder: Embedder;
  readonly vectors: Vectors;
  /** The nodes that check every document before it is indexed. */
  readonly index_pipeline: () => readonly PipelineNode[];
  readonly clock: Clock;
  readonly workers: GuardWorkers;
  readonly logger: Logger;
  readonly observer: Observer;
}

/** Folders for files of the two plugins; null: none, the runs are in a database. */
export interface RagFolders {
  readonly vectors: string;
  readonly embedder: string;
}

export type NewDocument = Omit<RagDocument, 'id'>;

const NO_VECTORS = 'the embedder answered something that is not the vectors of what it was given';
/** Bounds for a vector's squared length, far from those of any model. Beyond them, single-precision arithmetic in databases overflows. */
const MIN_SQUARE = 1e-20;
const MAX_SQUARE = 1e20;
const NAMESPACE = new RegExp(NAMESPACE_PATTERN);

/** Indexes documents by namespace, and retrieves those nearest to a text. Its plugins are closed by whoever created them. */
export class Rag implements Retriever {
  readonly #parts: RagParts;
  /** What may use guards of the index pipeline. */
  readonly under_way = new UnderWay();

  constructor(parts: RagParts) {
    this.#parts = { ...parts, observer: safeObserver(parts.observer) };
  }

  /** The nodes whose guards must be started before documents are indexed. */
  get nodes(): readonly PipelineNode[] {
    return this.#parts.index_pipeline();
  }

  /** @throws if the stored vectors were made by another model, or cannot be read */
  async open(folders: RagFolders | null): Promise<void> {
    const { embedder, vectors } = this.#parts;
    const { model, dimensions } = embedder;
    await embedder.open?.({ folder: folders?.embedder ?? null });
    await vectors.open({ folder: folders?.vectors ?? null, model, dimensions });
  }

  /**
   * Stores documents, all or none. Documents that are stored already stay as they are.
   * @throws {SvcError} SVC-REQ-001, SVC-RAG-002 if a guard refuses one, SVC-PROV-…, SVC-STORE-001
   */
  index(namespace: string, documents: readonly NewDocument[], principal_id: string, signal: AbortSignal): Promise<void> {
    return this.under_way.during(this.#timed('index', () => this.#index(namespace, documents, principal_id, signal)));
  }

  async #index(namespace: string, documents: readonly NewDocument[], principal_id: string, signal: AbortSignal): Promise<void> {
    const started = this.#parts.clock.monotonic();
    const collection = collectionOf(namespace);
    const unfit = documents.findIndex(holdsNul);
    if (unfit >= 0)
      throw new SvcError('SVC-REQ-001', `body/documents/${unfit} contains the character U+0000, which is not allowed`);
    const passed = await screen(documents, { ...this.#parts, index_pipeline: this.nodes, principal_id, signal });
    const byId = new Map(passed.map((document) => [idOf(document), document]));
    const distinct = [...byId].map(([id, { text, metadata }]) => ({ id, text, metadata }));
    const vectors = await this.#embed(
      distinct.map(({ text }) => text),
      'document',
      signal,
    );
    const pairs = distinct.flatMap((document, i) => {
      const vector = vectors[i];
      return vector === undefined ? [] : [{ document, vector }];
    });
    const added = pairs.length === 0 ? 0 : await this.#stored(this.#parts.vectors.upsert(collection, pairs), signal);
    this.#parts.logger.info({
      event: 'rag_indexed',
      namespace,
      principal_id,
      documents: documents.length,
      added,
      duration_ms: Math.round(this.#parts.clock.monotonic() - started),
    });
  }

  /**
   * Deletes documents by id.
   * @returns how many existed
   * @throws {SvcError} SVC-REQ-001, SVC-STORE-001
   */
  remove(namespace: string, ids: readonly string[], principal_id: string): Promise<number> {
    return this.#timed('delete', () => this.#remove(namespace, ids, principal_id));
  }

  async #remove(namespace: string, ids: readonly string[], principal_id: string): Promise<number> {
    const collection = collectionOf(namespace);
    const unfit = ids.findIndex(holdsNul);
    if (unfit >= 0) throw new SvcError('SVC-REQ-001', `body/ids/${unfit} is not a document id`);
    // Not aborted when the caller has gone: the deletion must be completed.
    const removed = await this.#stored(this.#parts.vectors.remove(collection, [...new Set(ids)]), new AbortController().signal);
    this.#parts.logger.info({ event: 'rag_deleted', namespace, principal_id, deleted: removed });
    return removed;
  }

  /** @throws {SvcError} SVC-REQ-001, SVC-PROV-…, SVC-STORE-001 */
  retrieve(namespace: string, text: string, options: RetrieveOptions): Promise<readonly FoundDocument[]> {
    return this.#timed('retrieve', () => this.#retrieve(namespace, text, options));
  }

  async #retrieve(namespace: string, text: string, { k, filter, signal }: RetrieveOptions): Promise<readonly FoundDocument[]> {
    const collection = collectionOf(namespace);
    if (holdsNul(filter)) throw new SvcError('SVC-REQ-001', 'body/filter contains the character U+0000, which is not allowed');
    const [vector] = await this.#embed([text], 'query', signal);
    if (vector === undefined) throw new Error('one text, no vector');
    return this.#stored(this.#parts.vectors.query(collection, vector, k, filter, signal), signal);
  }

  async #timed<T>(work: RagWork, run: () => Promise<T>): Promise<T> {
    const { clock, observer } = this.#parts;
    const started = clock.monotonic();
    const tell = (outcome: RagOutcome): void => observer.rag(work, outcome, clock.monotonic() - started);
    try {
      const result = await run();
      tell('done');
      return result;
    } catch (error) {
      tell(outcomeOf(error));
      throw error;
    }
  }

  async #stored<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (signal.aborted) throw new SvcError('SVC-BUSY-001', 'the caller disconnected', { cause: error });
      this.#parts.logger.warn({ event: 'vectors_failed', reason: isStoreError(error) ? error.code : 'unknown' });
      throw error;
    }
  }

  async #embed(texts: readonly string[], use: 'document' | 'query', signal: AbortSignal): Promise<readonly Float32Array[]> {
    if (texts.length === 0) return [];
    const { embedder } = this.#parts;
    try {
      const vectors = await embedder.embed(texts, use, signal);
      const isWhole = vectors.length === texts.length && vectors.every((vector) => isVector(vector, embedder.dimensions));
      if (!isWhole) throw new ProviderError('malformed');
      return vectors;
    } catch (error) {
      const failure = asProviderError(error);
      this.#parts.logger.warn({ event: 'embedder_failed', kind: failure.kind, status: failure.status ?? null });
      throw failure.kind === 'malformed' ? new SvcError('SVC-PROV-001', NO_VECTORS, { cause: failure }) : callerError(failure);
    }
  }
}

function outcomeOf(error: unknown): RagOutcome {
  const code = error instanceof SvcError ? error.code : null;
  return code === 'SVC-REQ-001' || code === 'SVC-RAG-002' ? 'refused' : 'failed';
}

/** @throws {SvcError} SVC-REQ-001 */
function collectionOf(namespace: string): string {
  if (NAMESPACE.test(namespace)) return `svc-${namespace}`;
  throw new SvcError(
    'SVC-REQ-001',
    'body/namespace must be 1 to 64 letters, digits or any of . _ -, the first a letter or digit',
  );
}

/** Databases cannot store it. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => key.includes('\0') || holdsNul(member));
}

/** The same text and metadata have the same id, whatever the order of keys. */
function idOf({ text, metadata }: NewDocument): string {
  return sha256(canonicalJson({ metadata, text })).replace('sha256:', '');
}

function isVector(vector: unknown, dimensions: number): boolean {
  if (!(vector instanceof Float32Array) || vector.length !== dimensions) return false;
  const square = vector.reduce((sum, value) => sum + value * value, 0);
  return square > MIN_SQUARE && square < MAX_SQUARE;
}
