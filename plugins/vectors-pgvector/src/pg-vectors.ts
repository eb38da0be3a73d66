import type { JsonObject, Logger } from '@svc/sdk';
import { StoreError } from '@svc/sdk/store';
import type { FoundDocument, NewVector, Vectors } from '@svc/sdk/vectors';
import pg from 'pg';
import { Database, type Statements } from './database.ts';
import type { PgVectorOptions } from './options.ts';
import { assertIndexable, comparable, makeIndex, makeSchema } from './schema.ts';

interface Row {
  readonly id: string;
  readonly text: string;
  readonly metadata: JsonObject;
  readonly score: number;
}

/** Documents and vectors in one table, their collections in another. */
export class PgVectors implements Vectors {
  readonly #options: PgVectorOptions;
  readonly #logger: Logger;
  #database: Database | null = null;
  #made_by = { model: '', dimensions: 0 };
  /** Collections that are known to exist, with their index. */
  readonly #known = new Set<string>();

  constructor(options: PgVectorOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
  }

  async open({ model, dimensions }: Parameters<Vectors['open']>[0]): Promise<void> {
    const { url, connections, index } = this.#options;
    assertIndexable(dimensions, index);
    this.#made_by = { model, dimensions };
    const database = new Database(url, connections, this.#logger);
    this.#database = database;
    await database.transaction(async (statements) => {
      await makeSchema(statements);
      const { rows } = await statements.query<{ name: string; model: string; dimensions: number }>(
        'SELECT name, model, dimensions FROM svc_rag_collections WHERE model <> $1 OR dimensions <> $2 LIMIT 1',
        [model, dimensions],
      );
      for (const other of rows) throw this.#otherModel(other);
    });
  }

  async upsert(collection: string, documents: readonly NewVector[]): Promise<number> {
    if (!this.#known.has(collection)) {
      // The index is created with the collection, because that is fast while the collection is empty.
      await this.#open().transaction((statements) => this.#makeCollection(statements, collection), { bounded: false });
      this.#known.add(collection);
    }
    return this.#open().transaction((statements) => insert(statements, collection, documents));
  }

  async remove(collection: string, ids: readonly string[]): Promise<number> {
    return this.#open().transaction(async (statements) => {
      // Locks rows in the order of their ids, as inserts do, so that concurrent transactions cannot deadlock.
      const { rowCount } = await statements.query(
        `DELETE FROM svc_rag_documents USING (
           SELECT id AS gone FROM svc_rag_documents WHERE collection = $1 AND id = ANY($2::text[]) ORDER BY id FOR UPDATE
         ) AS asked WHERE collection = $1 AND id = gone`,
        [collection, ids],
      );
      return rowCount ?? 0;
    });
  }

  /** Keeps the collection's row, because other gateways assume that it exists. */
  async clear(collection: string): Promise<number> {
    const remove = async (statements: Statements): Promise<number> => {
      const { rowCount } = await statements.query('DELETE FROM svc_rag_documents WHERE collection = $1', [collection]);
      return rowCount ?? 0;
    };
    return this.#open().transaction(remove, { bounded: false });
  }

  async query(
    collection: string,
    vector: Float32Array,
    k: number,
    filter: JsonObject,
    signal: AbortSignal,
  ): Promise<readonly FoundDocument[]> {
    signal.throwIfAborted();
    const rows = await this.#open().transaction((statements) => this.#nearest(statements, collection, vector, k, filter));
    return rows.map(({ id, text, metadata, score }) => ({
      document: { id, text, metadata },
      score: Math.max(-1, Math.min(1, score)),
    }));
  }

  async close(): Promise<void> {
    await this.#database?.close();
  }

  #open(): Database {
    if (this.#database === null) throw new StoreError('CLOSED', 'the vector store is not open');
    return this.#database;
  }

  async #makeCollection(statements: Statements, collection: string): Promise<void> {
    const { model, dimensions } = this.#made_by;
    await statements.query(
      'INSERT INTO svc_rag_collections (name, model, dimensions) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [collection, model, dimensions],
    );
    const { rows } = await statements.query<{ name: string; model: string; dimensions: number }>(
      'SELECT name, model, dimensions FROM svc_rag_collections WHERE name = $1',
      [collection],
    );
    for (const made of rows) if (made.model !== model || made.dimensions !== dimensions) throw this.#otherModel(made);
    if (this.#options.index === 'hnsw') await makeIndex(statements, collection, dimensions);
  }

  async #nearest(
    statements: Statements,
    collection: string,
    vector: Float32Array,
    k: number,
    filter: JsonObject,
  ): Promise<Row[]> {
    const { index } = this.#options;
    if (index === 'hnsw') {
      // Continues the search until k rows pass the filter.
      await statements.query(`SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL hnsw.ef_search = ${Math.max(k, 100)}`);
    }
    const embedding = comparable(this.#made_by.dimensions, index);
    const type = embedding.includes('halfvec') ? 'halfvec' : 'vector';
    const wanted = Object.entries(filter);
    const conditions = wanted.map((_, i) => ` AND metadata -> $${i * 2 + 3}::text = $${i * 2 + 4}::jsonb`);
    const { rows } = await statements.query<Row>(
      // The name is a literal, so that the planner recognises that the partial index applies.
      `SELECT id, text, metadata, 1 - (${embedding} <=> $1::${type}) AS score FROM svc_rag_documents
       WHERE collection = ${pg.escapeLiteral(collection)}${conditions.join('')} ORDER BY ${embedding} <=> $1::${type} LIMIT $2`,
      [textOf(vector), k, ...wanted.flatMap(([key, value]) => [key, JSON.stringify(value)])],
    );
    return rows;
  }

  #otherModel(other: { name: string; model: string; dimensions: number }): StoreError {
    const { model, dimensions } = this.#made_by;
    return new StoreError(
      'SCHEMA',
      `the database holds vectors of ${other.model} (${other.dimensions} dimensions) in ${other.name}, but the embedder is ` +
        `${model} (${dimensions}): configure the previous embedder, or delete the collection and index its documents again`,
    );
  }
}

/** Inserts in the order of the ids, so that concurrent inserts of the same ids cannot deadlock. */
async function insert(statements: Statements, collection: string, documents: readonly NewVector[]): Promise<number> {
  const distinct = [...new Map(documents.map((each) => [each.document.id, each])).values()];
  distinct.sort((a, b) => (a.document.id < b.document.id ? -1 : 1));
  const { rows } = await statements.query<{ added: boolean }>(
    `INSERT INTO svc_rag_documents AS stored (collection, id, text, metadata, embedding)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::jsonb[], $5::vector[])
     ON CONFLICT (collection, id) DO UPDATE SET text = excluded.text, metadata = excluded.metadata, embedding = excluded.embedding
     WHERE (stored.text, stored.metadata, stored.embedding) IS DISTINCT FROM (excluded.text, excluded.metadata, excluded.embedding)
     RETURNING xmax = 0 AS added`,
    [
      collection,
      distinct.map(({ document }) => document.id),
      distinct.map(({ document }) => document.text),
      distinct.map(({ document }) => JSON.stringify(document.metadata)),
      distinct.map(({ vector }) => textOf(vector)),
    ],
  );
  return rows.filter(({ added }) => added).length;
}

function textOf(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}
