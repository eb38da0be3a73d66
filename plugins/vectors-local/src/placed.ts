import type { JsonObject } from '@svc/sdk';
import type { PlacedDocument } from './batch.ts';
import { Rows } from './rows.ts';

/** The data of a document that is kept in memory besides its vector. The document's text is read from the file for each result. */
interface Entry {
  readonly id: string;
  readonly metadata: JsonObject;
  /** Offset of the document's JSON in the file. */
  readonly at: number;
  readonly length: number;
}

/** The documents of a collection, by row. */
export class Placed {
  readonly rows: Rows;
  readonly #rowOf = new Map<string, number>();
  readonly #entries: Entry[] = [];
  /** Number of superseded documents whose bytes are still in the file. */
  superseded = 0;

  constructor(dimensions: number) {
    this.rows = new Rows(dimensions);
  }

  get size(): number {
    return this.#entries.length;
  }

  rowOf(id: string): number | undefined {
    return this.#rowOf.get(id);
  }

  at(row: number): Entry {
    const entry = this.#entries[row];
    if (entry === undefined) throw new Error('a vector row has no document');
    return entry;
  }

  /** @param begin offset of their payload in the file */
  take(documents: readonly PlacedDocument[], begin: number): void {
    for (const { document, vector, offset, length } of documents) {
      const row = this.#rowOf.get(document.id) ?? this.#entries.length;
      if (row < this.#entries.length) this.superseded += 1;
      this.rows.put(row, vector);
      this.#entries[row] = { id: document.id, metadata: document.metadata, at: begin + offset, length };
      this.#rowOf.set(document.id, row);
    }
  }
}
