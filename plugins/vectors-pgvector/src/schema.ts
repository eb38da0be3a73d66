import { createHash } from 'node:crypto';
import { StoreError } from '@svc/sdk/store';
import pg from 'pg';
import { codeOf, type Statements } from './database.ts';

/** An arbitrary number for the lock that gateways take in turn when they start together. */
const SCHEMA_LOCK = 7_262_470_951;
/** Maximum dimensions of an index on each column type. */
const MAX_VECTOR = 2000;
const MAX_HALFVEC = 4000;

const TABLES = `
  CREATE TABLE IF NOT EXISTS svc_rag_collections (
    name text PRIMARY KEY,
    model text NOT NULL,
    dimensions integer NOT NULL
  );
  CREATE TABLE IF NOT EXISTS svc_rag_documents (
    collection text NOT NULL REFERENCES svc_rag_collections,
    id text NOT NULL,
    text text NOT NULL,
    metadata jsonb NOT NULL,
    embedding vector NOT NULL,
    PRIMARY KEY (collection, id)
  );
`;

/**
 * Creates what does not exist yet.
 * @throws {StoreError} `OPEN` with the remedy, if the extension is not available
 */
export async function makeSchema(statements: Statements): Promise<void> {
  await statements.query(`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`);
  const { rowCount } = await statements.query("SELECT 1 FROM pg_extension WHERE extname = 'vector'");
  if (rowCount === 0) {
    await statements.query('CREATE EXTENSION vector').catch((error: unknown) => {
      const remedy = 'install pgvector on the server, then run CREATE EXTENSION vector in this database as a superuser';
      throw new StoreError('OPEN', `the database does not have the extension vector (${codeOf(error)}): ${remedy}`);
    });
  }
  await statements.query(TABLES);
}

/** The expression by which a collection's vectors are compared: the column itself, or the column cast to the type of its index. */
export function comparable(dimensions: number, index: 'none' | 'hnsw'): string {
  if (index === 'none') return 'embedding';
  return `(embedding::${dimensions > MAX_VECTOR ? 'halfvec' : 'vector'}(${dimensions}))`;
}

/** @throws {StoreError} `OPEN` if the vectors are too long for an index */
export function assertIndexable(dimensions: number, index: 'none' | 'hnsw'): void {
  if (index === 'none' || dimensions <= MAX_HALFVEC) return;
  throw new StoreError(
    'OPEN',
    `an index cannot have ${dimensions} dimensions: use index: none, or an embedder with at most ${MAX_HALFVEC}`,
  );
}

/** A partial index per collection, so that a search in a small one does not scan a large one. */
export async function makeIndex(statements: Statements, collection: string, dimensions: number): Promise<void> {
  const name = `svc_rag_hnsw_${createHash('sha256').update(collection).digest('hex').slice(0, 16)}`;
  const kind = dimensions > MAX_VECTOR ? 'halfvec' : 'vector';
  await statements.query(
    `CREATE INDEX IF NOT EXISTS ${name} ON svc_rag_documents USING hnsw (${comparable(dimensions, 'hnsw')} ${kind}_cosine_ops)
     WHERE collection = ${pg.escapeLiteral(collection)}`,
  );
}
