import {
  type Clock,
  type Embedder,
  type FoundDocument,
  isStoreError,
  type Logger,
  NAMESPACE_PATTERN,
  type NewVector,
  ProviderError,
  type RetrieveOptions,
  type Retriever,
  SvcError,
  type Vectors,
} from '@svc/contracts';
import { callerError, mayHaveCost } from '@svc/kernel/endpoints';
import { type Observer, type RagOutcome, type RagWork, safeObserver } from '@svc/kernel/observing';
import type { PipelineNode } from '@svc/kernel/routes';
import type { GuardWorkers } from '@svc/kernel/workers';
import { canonicalJson, sha256 } from '@svc/ledger';
import { UnderWay } from '@svc/runtime';
import { asProviderError } from '@svc/runtime/answers';
import { isSealed, keyGone, type NamespaceKeys, openText, sealText } from '@svc/runtime/content';
import { type NewDocument, screen } from './screen.ts';

interface RagParts {
  readonly embedder: Embedder;
  readonly vectors: Vectors;
  readonly keys: NamespaceKeys;
  /** Returns the nodes that check every document before it is indexed. */
  readonly index_pipeline: () => readonly PipelineNode[];
  readonly clock: Clock;
  readonly workers: GuardWorkers;
  readonly logger: Logger;
  readonly observer: Observer;
}

/** Folders for files of the two plugins. Null: none, because the runs are in a database. */
export interface RagFolders {
  readonly vectors: string;
  readonly embedder: string;
}

/** The result of an erasure. */
export interface ErasedNamespace {
  readonly namespace: string;
  readonly deleted: number;
  /** Whether encrypted texts of the namespace are also unreadable in older copies. */
  readonly backups_unreadable: boolean;
}

const NO_VECTORS = 'the embedder did not return one valid vector for each text';
/** Bounds for the squared length of a vector, far from those of any model. Beyond them, single-precision arithmetic in databases overflows. */
const MIN_SQUARE = 1e-20;
const MAX_SQUARE = 1e20;
/** For work that must be completed even if the caller has disconnected. */
const NEVER = new AbortController().signal;
const ignored = (): void => undefined;
const NAMESPACE = new RegExp(NAMESPACE_PATTERN);

/** Indexes documents by namespace, and retrieves those nearest to a text. Its creator also closes its plugins. */
export class Rag implements Retriever {
  readonly #parts: RagParts;
  /** Checks by the guards of the index pipeline. */
  readonly under_way = new UnderWay();

  constructor(parts: RagParts) {
    this.#parts = { ...parts, observer: safeObserver(parts.observer) };
  }

  /** The nodes whose guards must be started before documents are indexed. */
  get nodes(): readonly PipelineNode[] {
    return this.#parts.index_pipeline();
  }

  /** @throws if the stored vectors came from another model, or cannot be read */
  async open(folders: RagFolders | null): Promise<void> {
    const { embedder, vectors } = this.#parts;
    const { model, dimensions } = embedder;
    await embedder.open?.({ folder: folders?.embedder ?? null });
    await vectors.open({ folder: folders?.vectors ?? null, model, dimensions });
  }

  /**
   * Stores documents, all or none. Documents that are stored already stay unchanged.
   * @param used called when the embedder may have billed tokens, even if a later step fails
   * @throws {SvcError} SVC-REQ-001, SVC-RAG-002 if a guard refuses one, SVC-PROV-…, SVC-STORE-001
   */
  index(
    namespace: string,
    documents: readonly NewDocument[],
    principal_id: string,
    signal: AbortSignal,
    used: () => void = ignored,
  ): Promise<void> {
    const indexed = this.#timed('index', async () => {
      const started = this.#parts.clock.monotonic();
      assertNamespace(namespace);
      const invalid = documents.findIndex(holdsNul);
      if (invalid >= 0)
        throw new SvcError('SVC-REQ-001', `body/documents/${invalid} contains the character U+0000, which is not allowed`);
      const passed = await screen(documents, { ...this.#parts, index_pipeline: this.nodes, principal_id, signal });
      const byId = new Map(passed.map((document) => [idOf(document), document]));
      const distinct = [...byId].map(([id, { text, metadata }]) => ({ id, text, metadata }));
      const vectors = await this.#embed(
        distinct.map(({ text }) => text),
        'document',
        signal,
        used,
      );
      const pairs = distinct.flatMap((document, i) => {
        const vector = vectors[i];
        return vector === undefined ? [] : [{ document, vector }];
      });
      const added = pairs.length === 0 ? 0 : await this.#store(namespace, pairs, signal);
      this.#parts.logger.info({
        event: 'rag_indexed',
        namespace,
        principal_id,
        documents: documents.length,
        added,
        duration_ms: Math.round(this.#parts.clock.monotonic() - started),
      });
    });
    return this.under_way.during(indexed);
  }

  /** Stores documents with their texts encrypted. @returns how many of them were new */
  async #store(namespace: string, documents: readonly NewVector[], signal: AbortSignal): Promise<number> {
    const { vectors, keys } = this.#parts;
    const collection = collectionOf(namespace);
    const ids = documents.map(({ document }) => document.id);
    let key = await keys.ensure(namespace);
    for (;;) {
      const sealed = documents.map(({ document: { id, text, metadata }, vector }) => ({
        document: { id, text: sealText(key, id, text), metadata },
        vector,
      }));
      const added = await this.#stored(vectors.upsert(collection, sealed), signal);
      if (await keys.holds(namespace, key)) return added;
      // The namespace was erased in the meantime. Documents that are stored after that are unreadable, so they are overwritten or removed.
      key = await keys.ensure(namespace).catch(async (error: unknown) => {
        await this.#stored(vectors.remove(collection, ids), NEVER);
        throw error;
      });
    }
  }

  /**
   * Whether a namespace has anything to erase: a key, or unencrypted documents of an earlier release.
   * @throws {SvcError} SVC-REQ-001
   */
  async holds(namespace: string): Promise<boolean> {
    const { keys, vectors, embedder } = this.#parts;
    const collection = collectionOf(namespace);
    if (await keys.has(namespace)) return true;
    // Any vector will do, because each has a nearest neighbour.
    const any = new Float32Array(embedder.dimensions).fill(1);
    return (await this.#stored(vectors.query(collection, any, 1, {}, NEVER), NEVER)).length > 0;
  }

  /**
   * Deletes all documents of a namespace and destroys its key. May be repeated after an error.
   * @throws {SvcError} SVC-REQ-001, SVC-STORE-001, SVC-BUSY-001
   */
  erase(namespace: string, principal_id: string): Promise<ErasedNamespace> {
    return this.#timed('erase', async () => {
      const collection = collectionOf(namespace);
      let deleted = 0;
      const backups_unreadable = await this.#parts.keys.erase(namespace, async () => {
        deleted = await this.#stored(this.#parts.vectors.clear(collection), NEVER);
      });
      this.#parts.logger.info({ event: 'rag_erased', namespace, principal_id, deleted, backups_unreadable });
      return { namespace, deleted, backups_unreadable };
    });
  }

  /** Wraps the keys of all namespaces with the newest content key. */
  rewrapKeys(): ReturnType<NamespaceKeys['rewrap']> {
    return this.#parts.keys.rewrap();
  }

  /**
   * Deletes documents by id.
   * @returns how many existed
   * @throws {SvcError} SVC-REQ-001, SVC-STORE-001
   */
  remove(namespace: string, ids: readonly string[], principal_id: string): Promise<number> {
    return this.#timed('delete', async () => {
      const collection = collectionOf(namespace);
      const invalid = ids.findIndex(holdsNul);
      if (invalid >= 0) throw new SvcError('SVC-REQ-001', `body/ids/${invalid} is not a document id`);
      const removed = await this.#stored(this.#parts.vectors.remove(collection, [...new Set(ids)]), NEVER);
      this.#parts.logger.info({ event: 'rag_deleted', namespace, principal_id, deleted: removed });
      return removed;
    });
  }

  /**
   * @param used as for {@link index}
   * @throws {SvcError} SVC-REQ-001, SVC-PROV-…, SVC-STORE-001
   */
  retrieve(
    namespace: string,
    text: string,
    { k, filter, signal }: RetrieveOptions,
    used: () => void = ignored,
  ): Promise<readonly FoundDocument[]> {
    return this.#timed('retrieve', async () => {
      const collection = collectionOf(namespace);
      if (holdsNul(filter)) throw new SvcError('SVC-REQ-001', 'body/filter contains the character U+0000, which is not allowed');
      const [vector] = await this.#embed([text], 'query', signal, used);
      if (vector === undefined) throw new Error('the embedder returned no vector for the text');
      const found = await this.#stored(this.#parts.vectors.query(collection, vector, k, filter, signal), signal);
      return this.#opened(namespace, found);
    });
  }

  /**
   * The documents with their texts decrypted.
   * @throws {SvcError} SVC-RAG-003 if a text cannot be decrypted
   */
  async #opened(namespace: string, found: readonly FoundDocument[]): Promise<readonly FoundDocument[]> {
    if (!found.some(({ document }) => isSealed(document.text))) return found;
    const key = await this.#parts.keys.find(namespace);
    return found.map(({ document: { id, text, metadata }, score }) => {
      const plain = !isSealed(text) ? text : key === null ? null : openText(key, id, text);
      if (plain === null) throw keyGone();
      return { document: { id, text: plain, metadata }, score };
    });
  }

  async #timed<T>(work: RagWork, run: () => Promise<T>): Promise<T> {
    const { clock, observer } = this.#parts;
    const started = clock.monotonic();
    const report = (outcome: RagOutcome): void => observer.rag(work, outcome, clock.monotonic() - started);
    try {
      const result = await run();
      report('done');
      return result;
    } catch (error) {
      report(outcomeOf(error));
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

  async #embed(
    texts: readonly string[],
    use: 'document' | 'query',
    signal: AbortSignal,
    used: () => void,
  ): Promise<readonly Float32Array[]> {
    if (texts.length === 0) return [];
    if (signal.aborted) throw new SvcError('SVC-BUSY-001', 'the caller disconnected');
    const { embedder } = this.#parts;
    try {
      const vectors = await embedder.embed(texts, use, signal);
      const isWhole = vectors.length === texts.length && vectors.every((vector) => isVector(vector, embedder.dimensions));
      if (!isWhole) throw new ProviderError('malformed');
      used();
      return vectors;
    } catch (error) {
      const failure = asProviderError(error);
      if (mayHaveCost(failure)) used();
      this.#parts.logger.warn({ event: 'embedder_failed', kind: failure.kind, status: failure.status ?? null });
      throw failure.kind === 'malformed' ? new SvcError('SVC-PROV-001', NO_VECTORS, { cause: failure }) : callerError(failure);
    }
  }
}

function outcomeOf(error: unknown): RagOutcome {
  const code = error instanceof SvcError ? error.code : null;
  return code === 'SVC-REQ-001' || code === 'SVC-RAG-002' ? 'refused' : 'failed';
}

function collectionOf(namespace: string): string {
  assertNamespace(namespace);
  return `svc-${namespace}`;
}

/** @throws {SvcError} SVC-REQ-001 */
function assertNamespace(namespace: string): void {
  if (NAMESPACE.test(namespace)) return;
  throw new SvcError(
    'SVC-REQ-001',
    'body/namespace must be 1 to 64 letters, digits or any of . _ -, the first a letter or digit',
  );
}

/** Whether a value contains NUL, which databases cannot store. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => key.includes('\0') || holdsNul(member));
}

/** The id of a document. Equal text and metadata have the same id, whatever the order of keys. */
function idOf({ text, metadata }: NewDocument): string {
  return sha256(canonicalJson({ metadata, text })).replace('sha256:', '');
}

function isVector(vector: unknown, dimensions: number): boolean {
  if (!(vector instanceof Float32Array) || vector.length !== dimensions) return false;
  const square = vector.reduce((sum, value) => sum + value * value, 0);
  return square > MIN_SQUARE && square < MAX_SQUARE;
}
