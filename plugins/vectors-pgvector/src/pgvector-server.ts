import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** PostgreSQL with pgvector in this process, which listens on a port like any other server. */
export class PgvectorServer {
  readonly url: string;
  readonly #database: PGlite;
  readonly #server: PGLiteSocketServer;

  private constructor(database: PGlite, server: PGLiteSocketServer) {
    this.#database = database;
    this.#server = server;
    this.url = `postgres://postgres@${server.getServerConn()}/postgres`;
  }

  static async start(): Promise<PgvectorServer> {
    const database = await PGlite.create({ extensions: { vector } });
    const server = new PGLiteSocketServer({ db: database, port: 0, host: '127.0.0.1', maxConnections: 20 });
    await server.start();
    return new PgvectorServer(database, server);
  }

  /** Drops everything, so that the next test case finds an empty database. */
  async empty(): Promise<void> {
    await this.#database.exec('DROP TABLE IF EXISTS svc_rag_documents, svc_rag_collections');
  }

  sql(statement: string): Promise<unknown[]> {
    return this.#database.query(statement).then(({ rows }) => rows);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await this.#database.close();
  }
}
