import type { JsonObject } from './json.ts';

/** What a namespace may be called. Its collection is `svc-<namespace>`. */
export const NAMESPACE_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

export interface RagDocument {
  /** Stable for the same text and metadata. */
  readonly id: string;
  readonly text: string;
  readonly metadata: JsonObject;
}

export interface FoundDocument {
  readonly document: RagDocument;
  /** Cosine, in [-1, 1]. */
  readonly score: number;
}

/** Turns texts into vectors. The same text as a document always gives the same vector. */
export interface Embedder {
  /**
   * Names what makes the vectors: 1 to 200 visible ASCII characters, the same as long as its vectors can be compared with those that it made
   * before. Kept beside them; another one is refused at start.
   */
  readonly model: string;
  /** Length of every vector. */
  readonly dimensions: number;
  /** True where texts never leave this process: routes with a residency then ask for no region. */
  readonly in_process?: boolean;
  /**
   * Called once, before the first text. `folder`: where it may keep files of its own, beside the runs-db and not made yet; null where the
   * runs are in a database that several processes share.
   */
  open?(storage: { readonly folder: string | null }): Promise<void>;
  /**
   * One vector a text, in order, none of length zero; `use` tells whether the texts are stored or asked with. The texts may be many: make
   * batches of them. Throws {@link ProviderError} when any cannot be embedded. Authors must not log texts or put them into errors.
   */
  embed(texts: readonly string[], use: 'document' | 'query', signal: AbortSignal): Promise<readonly Float32Array[]>;
  close?(): Promise<void>;
}

export interface NewVector {
  readonly document: RagDocument;
  readonly vector: Float32Array;
}

/** Stores vectors in collections and finds the nearest. `collection` is `svc-<namespace>`. It throws {@link StoreError} where it cannot. */
export interface Vectors {
  /**
   * Called once, before anything else. `folder` as for {@link Embedder.open}.
   * Throws, with the remedy, where it holds vectors of another `model` or `dimensions`, and where what is stored is damaged.
   */
  open(storage: { readonly folder: string | null; readonly model: string; readonly dimensions: number }): Promise<void>;
  /** Writes or replaces by `id`, all or none; durable when it resolves. Resolves to the number of ids that were new. */
  upsert(collection: string, documents: readonly NewVector[]): Promise<number>;
  /**
   * Removes documents; durable when it resolves, and then nothing of them is in what later starts read. Unknown ids, and an unknown
   * collection, are no fault. Resolves to the number that were there.
   */
  remove(collection: string, ids: readonly string[]): Promise<number>;
  /**
   * The `k` documents nearest by cosine, best first. An unknown collection has none.
   * `filter`: each of these metadata fields must be there and equal, as JSON. Heavy work must not hold up the event loop.
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
  /** The `k` documents of a namespace nearest to the text, best first. Rejects where they cannot be had. */
  retrieve(namespace: string, text: string, options: RetrieveOptions): Promise<readonly FoundDocument[]>;
}

/** One namespace, as a guard has it. */
export interface RagNamespace {
  /** As {@link Retriever.retrieve}. */
  retrieve(text: string, options: RetrieveOptions): Promise<readonly FoundDocument[]>;
}
