import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FoundDocument, JsonObject, Logger, NewVector, RagDocument } from '@svc/sdk/plugin';
import { decodeBatch, encodeBatch } from './batch.ts';
import { CollectionFile, type CollectionHead } from './collection-file.ts';
import { fileNameOf } from './files.ts';
import { nearestRows } from './nearest.ts';
import { Placed } from './placed.ts';

/** One collection: a file, and the vectors of its documents in memory. */
export class Collection {
  readonly #file: CollectionFile;
  readonly #placed: Placed;

  private constructor(file: CollectionFile, placed: Placed) {
    this.#file = file;
    this.#placed = placed;
  }

  static async create(folder: string, head: CollectionHead, documents: readonly NewVector[]): Promise<Collection> {
    const payload = encodeBatch(documents);
    const { file, at } = await CollectionFile.create(join(folder, fileNameOf(head.collection)), head, payload);
    const placed = new Placed(head.dimensions);
    placed.take(decodeBatch(payload, head.dimensions), at);
    return new Collection(file, placed);
  }

  /** @param assertFit throws for a head that is not to be served */
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

  /** @returns how many were new */
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

  async nearest(vector: Float32Array, k: number, filter: JsonObject, signal: AbortSignal): Promise<FoundDocument[]> {
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
