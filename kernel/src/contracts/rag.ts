import type { JsonObject } from './json.ts';

export interface RagDocument {
  /** Stable for the same text and metadata. */
  readonly id: string;
  readonly text: string;
  readonly metadata: JsonObject;
}

/** Turns texts into vectors. Same text, same vector. */
export interface Embedder {
  /** Length of every vector; must stay the same for the life of a collection. */
  readonly dimensions: number;
  /** One vector a text, in order; `use` tells whether the texts are stored or asked with. Throws when any cannot be embedded. */
  embed(texts: readonly string[], use: 'document' | 'query', signal: AbortSignal): Promise<Float32Array[]>;
  close?(): Promise<void>;
}

/** Stores vectors in collections and finds the nearest. `collection` is `svc-<namespace>`. */
export interface Vectors {
  /** Writes or replaces by `id`; durable when it resolves. Resolves to the number of documents that were new. */
  upsert(collection: string, documents: readonly { document: RagDocument; vector: Float32Array }[]): Promise<number>;
  /**
   * The `k` documents nearest by cosine, best first; `score` in [-1, 1]. An unknown collection has none.
   * `filter`: every named metadata field must be equal.
   */
  query(
    collection: string,
    vector: Float32Array,
    k: number,
    filter?: JsonObject,
  ): Promise<{ document: RagDocument; score: number }[]>;
  close?(): Promise<void>;
}
