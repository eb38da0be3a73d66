import type { JsonObject } from './json.ts';

/** Allowed names of namespaces. The collection is `svc-<namespace>`. */
export const NAMESPACE_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

export interface RagDocument {
  /** Equal for equal text and metadata. */
  readonly id: string;
  readonly text: string;
  readonly metadata: JsonObject;
}

export interface FoundDocument {
  readonly document: RagDocument;
  /** Cosine similarity, in [-1, 1]. */
  readonly score: number;
}

/** Turns texts into vectors. Equal texts always give equal vectors if both are documents. */
export interface Embedder {
  /**
   * Identifies the embedding model: 1 to 200 visible ASCII characters. Must not change as long as new vectors are comparable with earlier ones. It is
   * stored with the vectors; if it differs at start, the gateway refuses to start.
   */
  readonly model: string;
  /** Length of every vector. */
  readonly dimensions: number;
  /** Whether texts stay in this process: routes with a residency then need no region. */
  readonly in_process?: boolean;
  /**
   * Called once, before the first text. `folder`: the embedder's own folder next to the runs-db, which does not exist yet at first; null if the runs
   * are in a database that several processes share.
   */
  open?(storage: { readonly folder: string | null }): Promise<void>;
  /**
   * Returns one non-zero vector per text, in order. `use` says whether the texts are documents or queries. There may be many texts: split them into
   * batches. Throws {@link ProviderError} if a text cannot be embedded. Authors must not log texts or put them into errors.
   */
  embed(texts: readonly string[], use: 'document' | 'query', signal: AbortSignal): Promise<readonly Float32Array[]>;
  close?(): Promise<void>;
}

export interface NewVector {
  readonly document: RagDocument;
  readonly vector: Float32Array;
}

/** Stores vectors in collections and finds the nearest. `collection` is `svc-<namespace>`. Throws {@link StoreError} on failure. */
export interface Vectors {
  /**
   * Called once, before anything else. `folder` as for {@link Embedder.open}. Throws, with the remedy, if the folder is damaged or contains vectors
   * of another `model` or `dimensions`.
   */
  open(storage: { readonly folder: string | null; readonly model: string; readonly dimensions: number }): Promise<void>;
  /** Writes or replaces documents by `id`, all or none. The write is durable when this resolves to the number of new ids. */
  upsert(collection: string, documents: readonly NewVector[]): Promise<number>;
  /**
   * Deletes documents. When this resolves to their number, the deletion is durable: later starts do not read them. Ignores unknown ids and
   * collections.
   */
  remove(collection: string, ids: readonly string[]): Promise<number>;
  /** Deletes all documents of a collection, as {@link remove} does. Documents can be stored in it again afterwards. */
  clear(collection: string): Promise<number>;
  /**
   * The `k` documents nearest by cosine, best first. None for an unknown collection. `filter`: metadata fields that a document must have with equal
   * values, compared as JSON. Heavy work must not block the event loop.
   */
  query(
    collection: string,
    vector: Float32Array,
    k: number,
    filter: JsonObject,
    signal: AbortSignal,
  ): Promise<readonly FoundDocument[]>;
  close?(): Promise<void>;
}

export interface RetrieveOptions {
  readonly k: number;
  readonly filter: JsonObject;
  readonly signal: AbortSignal;
}

/** Finds documents in any namespace. */
export interface Retriever {
  /** The `k` documents of a namespace nearest to the text, best first. Rejects on failure. */
  retrieve(namespace: string, text: string, options: RetrieveOptions): Promise<readonly FoundDocument[]>;
}

export interface RagNamespace {
  /** As {@link Retriever.retrieve}. */
  retrieve(text: string, options: RetrieveOptions): Promise<readonly FoundDocument[]>;
}
