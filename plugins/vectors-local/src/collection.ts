import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, Logger } from '@svc/sdk';
import type { FoundDocument, NewVector, RagDocument } from '@svc/sdk/vectors';
import { decodeBatch, encodeBatch } from './batch.ts';
import { CollectionFile, type CollectionHead } from './collection-file.ts';
import { fileNameOf } from './files.ts';
import { nearestRows } from './nearest.ts';
import { Placed } from './placed.ts';

/** How many documents are in memory at once while a collection is rewritten. */
const ROWS_A_FRAME = 256;

/** One collection: a file, and the vectors of its documents in memory. */
export class Collection {
  readonly #file: CollectionFile;
  readonly #placed: Placed;
  readonly #searches = new Set<Promise<unknown>>();

  private constructor(file: CollectionFile, placed: Placed) {
    this.#file = file;
    this.#placed = placed;
  }

  static async create(folder: string, head: CollectionHead, documents: readonly NewVector[]): Promise<Collection> {
    return Collection.#written(folder, head, [encodeBatch(documents)]);
  }

  static async #written(
    folder: string,
    head: CollectionHead,
    payloads: Iterable<Buffer> | AsyncIterable<Buffer>,
  ): Promise<Collection> {
    const placed = new Placed(head.dimensions);
    const take = (payload: Buffer, at: number): void => placed.take(decodeBatch(payload, head.dimensions), at);
    const file = await CollectionFile.create(join(folder, fileNameOf(head.collection)), head, payloads, take);
    return new Collection(file, placed);
  }

  /** @param assertFit throws if the head does not match the configuration */
  static async load(
    path: string,
    assertFit: (head: CollectionHead) => void,
    logger: Logger,
  ): Promise<{ name: string; collection: Collection }> {
    let name = '';
    let placed = new Placed(1);
    const takeHead = (head: CollectionHead): void => {
      assertFit(head);
      name = head.collection;
      placed = new Placed(head.dimensions);
    };
    const take = (payload: Buffer, at: number): void => placed.take(decodeBatch(payload, placed.rows.dimensions), at);
    const file = await CollectionFile.open(path, takeHead, take, logger);
    return { name, collection: new Collection(file, placed) };
  }

  get size(): number {
    return this.#placed.size;
  }

  /** @returns number of new documents */
  async upsert(documents: readonly NewVector[]): Promise<number> {
    const changed: NewVector[] = [];
    for (const asked of documents) if (!(await this.#has(asked.document))) changed.push(asked);
    if (changed.length === 0) return 0;
    const before = this.size;
    const payload = encodeBatch(changed);
    const at = await this.#file.append(payload);
    this.#placed.take(decodeBatch(payload, this.#placed.rows.dimensions), at);
    return this.size - before;
  }

  /**
   * Replaces the file with a new one without these documents and without superseded ones. Afterwards, this object must be retired. Null if there was
   * nothing to remove.
   */
  async without(ids: ReadonlySet<string>, folder: string, head: CollectionHead): Promise<Collection | null> {
    const rows = Array.from({ length: this.size }, (_, row) => row);
    const kept = rows.filter((row) => !ids.has(this.#placed.at(row).id));
    const isClean = kept.length === this.size && this.#placed.superseded === 0;
    return isClean ? null : Collection.#written(folder, head, this.#batches(kept));
  }

  /** Refuses further writes. Searches still work. */
  stop(): void {
    this.#file.stop();
  }

  async *#batches(rows: readonly number[]): AsyncGenerator<Buffer, void> {
    for (let from = 0; from < rows.length; from += ROWS_A_FRAME) {
      const documents: NewVector[] = [];
      for (const row of rows.slice(from, from + ROWS_A_FRAME))
        documents.push({ document: await this.#read(row), vector: this.#placed.rows.at(row) });
      yield encodeBatch(documents);
    }
  }

  /** Closes the file when the last search has ended. */
  async retire(): Promise<void> {
    await Promise.allSettled(this.#searches);
    await this.close();
  }

  nearest(vector: Float32Array, k: number, filter: JsonObject, signal: AbortSignal): Promise<FoundDocument[]> {
    const search = this.#nearest(vector, k, filter, signal);
    this.#searches.add(search);
    return search.finally(() => this.#searches.delete(search));
  }

  async #nearest(vector: Float32Array, k: number, filter: JsonObject, signal: AbortSignal): Promise<FoundDocument[]> {
    const wanted = Object.entries(filter);
    const isWanted = (row: number): boolean => {
      const { metadata } = this.#placed.at(row);
      return wanted.every(([key, value]) => Object.hasOwn(metadata, key) && isDeepStrictEqual(metadata[key], value));
    };
    const best = await nearestRows(this.#placed.rows, vector, k, wanted.length === 0 ? null : isWanted, signal);
    return Promise.all(best.map(async ({ row, score }) => ({ document: await this.#read(row), score })));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #has(document: RagDocument): Promise<boolean> {
    const row = this.#placed.rowOf(document.id);
    return row !== undefined && isDeepStrictEqual(await this.#read(row), asStored(document));
  }

  async #read(row: number): Promise<RagDocument> {
    const { at, length } = this.#placed.at(row);
    return JSON.parse((await this.#file.read(at, length)).toString());
  }
}

function asStored(document: RagDocument): RagDocument {
  return JSON.parse(JSON.stringify(document));
}
