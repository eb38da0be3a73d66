import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject, Logger } from '@svc/sdk';
import { StoreError } from '@svc/sdk/store';
import type { FoundDocument, NewVector, Vectors } from '@svc/sdk/vectors';
import { makeFolder, syncFolder } from '@svc/toolkit/store';
import { Collection } from './collection.ts';
import { type CollectionHead, isFull } from './collection-file.ts';
import { fileNameOf, SUFFIX, trouble } from './files.ts';

const NO_FOLDER =
  'rag.vectors with type local needs a runs-db in a folder and a single process; with PostgreSQL or server.workers, use type pgvector';

/** Collections, each with its own file. */
export class LocalVectors implements Vectors {
  readonly #logger: Logger;
  readonly #collections = new Map<string, Collection>();
  #opened: { readonly folder: string; readonly model: string; readonly dimensions: number } | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  /** Replaced collections that are still being searched. */
  readonly #retiring = new Set<Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  async open({ folder, model, dimensions }: Parameters<Vectors['open']>[0]): Promise<void> {
    if (folder === null) throw new StoreError('OPEN', NO_FOLDER);
    try {
      makeFolder(folder);
      const files = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).sort();
      for (const name of files) {
        const path = join(folder, name);
        const assertFit = (head: CollectionHead): void => assertMade(head, path, model, dimensions);
        const { name: collection, collection: loaded } = await Collection.load(path, assertFit, this.#logger);
        // At start, removes documents that newer ones have replaced.
        const rest = await loaded.without(new Set(), folder, { format: 1, collection, model, dimensions });
        if (rest !== null) await loaded.close();
        this.#collections.set(collection, rest ?? loaded);
      }
    } catch (error) {
      throw trouble(error);
    }
    this.#opened = { folder, model, dimensions };
  }

  upsert(name: string, documents: readonly NewVector[]): Promise<number> {
    return this.#oneAtATime(() => this.#upsert(name, documents));
  }

  remove(name: string, ids: readonly string[]): Promise<number> {
    return this.#oneAtATime(() => this.#remove(name, new Set(ids)));
  }

  clear(name: string): Promise<number> {
    return this.#oneAtATime(() => this.#clear(name));
  }

  /** Serialises writes, because each must see the ids that were written before. */
  #oneAtATime<T>(write: () => Promise<T>): Promise<T> {
    const done = this.#writing.then(write);
    this.#writing = done.catch(() => undefined);
    return done;
  }

  async query(
    name: string,
    vector: Float32Array,
    k: number,
    filter: JsonObject,
    signal: AbortSignal,
  ): Promise<readonly FoundDocument[]> {
    try {
      return (await this.#collections.get(name)?.nearest(vector, k, filter, signal)) ?? [];
    } catch (error) {
      throw trouble(error);
    }
  }

  async close(): Promise<void> {
    await this.#writing;
    await Promise.all(this.#retiring);
    await Promise.all([...this.#collections.values()].map((collection) => collection.close()));
    this.#collections.clear();
    this.#opened = null;
  }

  /** Rewrites the file, so that no byte of a removed document stays in it. */
  async #remove(name: string, ids: ReadonlySet<string>): Promise<number> {
    if (this.#opened === null) throw new StoreError('CLOSED', 'the vector store is not open');
    const { folder, model, dimensions } = this.#opened;
    const collection = this.#collections.get(name);
    if (collection === undefined) return 0;
    try {
      const left = await collection.without(ids, folder, { format: 1, collection: name, model, dimensions });
      if (left === null) return 0;
      this.#collections.set(name, left);
      this.#retire(collection);
      return collection.size - left.size;
    } catch (error) {
      // On a full disk, nothing was replaced. After any other failure, a restart may find either the old or the new file.
      if (!isFull(error)) collection.stop();
      throw trouble(error);
    }
  }

  /** Removes the file. The next upsert creates a new one. */
  async #clear(name: string): Promise<number> {
    if (this.#opened === null) throw new StoreError('CLOSED', 'the vector store is not open');
    const { folder } = this.#opened;
    const collection = this.#collections.get(name);
    if (collection === undefined) return 0;
    try {
      collection.stop();
      await rm(join(folder, fileNameOf(name)), { force: true });
      await syncFolder(folder);
      this.#collections.delete(name);
      this.#retire(collection);
      return collection.size;
    } catch (error) {
      throw trouble(error);
    }
  }

  #retire(collection: Collection): void {
    const retired: Promise<void> = collection.retire().then(
      () => void this.#retiring.delete(retired),
      () => void this.#retiring.delete(retired),
    );
    this.#retiring.add(retired);
  }

  async #upsert(name: string, documents: readonly NewVector[]): Promise<number> {
    if (this.#opened === null) throw new StoreError('CLOSED', 'the vector store is not open');
    const { folder, model, dimensions } = this.#opened;
    try {
      const collection = this.#collections.get(name);
      if (collection !== undefined) return await collection.upsert(documents);
      const made = await Collection.create(folder, { format: 1, collection: name, model, dimensions }, documents);
      this.#collections.set(name, made);
      return made.size;
    } catch (error) {
      throw trouble(error);
    }
  }
}

function assertMade(head: CollectionHead, path: string, model: string, dimensions: number): void {
  if (head.model === model && head.dimensions === dimensions) return;
  throw new StoreError(
    'SCHEMA',
    `${path} holds vectors of ${head.model} (${head.dimensions} dimensions), but the embedder is ${model} (${dimensions}): ` +
      'configure the previous embedder, or move the file away and index the documents again',
  );
}
