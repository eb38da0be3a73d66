import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql, temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { type GatewayConfig, type StartOptions, TestGateway } from './gateway.ts';

/** A shared key, as for gateways on several machines. */
const LEDGER = { signing_keys: ['secret://env/SVC_TEST_LEDGER_KEY#value'] };
const PEM = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Gateway processes with one database, which is created for them and dropped with them. */
export class Replicas {
  readonly all: TestGateway[] = [];
  readonly url: string;
  readonly #config: GatewayConfig;
  readonly #principals: Pick<StartOptions, 'principals'>;
  /** The secrets of their configuration. */
  readonly env = { SVC_TEST_LEDGER_KEY: PEM, SVC_CONTENT_KEY: randomBytes(32).toString('hex') };
  readonly #remove: () => Promise<void>;

  private constructor(
    database: { url: string; remove: () => Promise<void> },
    config: GatewayConfig,
    principals: StartOptions['principals'],
  ) {
    this.#principals = principals === undefined ? {} : { principals };
    this.url = database.url;
    this.#remove = database.remove;
    this.#config = { ...config, ledger: LEDGER };
  }

  /** @param server URL of a server on which tests may create databases */
  static async start(
    server: string,
    config: GatewayConfig,
    count: number,
    principals?: StartOptions['principals'],
  ): Promise<Replicas> {
    const replicas = new Replicas(await temporaryDatabase(server), config, principals);
    await Promise.all(Array.from({ length: count }, () => replicas.add()));
    return replicas;
  }

  /**
   * Adds a gateway.
   * @param url its URL for the database, if different from {@link url}
   */
  async add(url = this.url, principals?: StartOptions['principals']): Promise<TestGateway> {
    const store = { content_key: 'secret://env/SVC_CONTENT_KEY#value' };
    const gateway = await TestGateway.start({
      config: { store, ...this.#config },
      ...(principals === undefined ? {} : { principals }),
      args: ['--runs-db', url],
      env: this.env,
      ...this.#principals,
    });
    this.all.push(gateway);
    return gateway;
  }

  /** Adds a gateway with the same configuration file and keys as another. */
  async addTwin({ folder, keys }: TestGateway): Promise<TestGateway> {
    const text = await readFile(join(folder, 'svc.yaml'), 'utf8');
    const gateway = await TestGateway.startFile(text, keys, { args: ['--runs-db', this.url], env: this.env });
    this.all.push(gateway);
    return gateway;
  }

  /** The process name in run rows and leases of the gateway that now answers at that URL. */
  async instanceOf(gateway: TestGateway): Promise<string> {
    const { headers } = await gateway.chat('who are you');
    const [row] = await sql<{ owner: string }>(this.url, 'SELECT owner FROM svc.run WHERE run_id = $1', [
      headers.get('x-svc-run-id'),
    ]);
    if (row === undefined) throw new Error('no such run');
    return row.owner;
  }

  /** Expires the lease of a process, as 30 seconds without renewal would. */
  async lapse(instance: string): Promise<void> {
    const lapsed = await sql(this.url, 'UPDATE svc.lease SET expires_at = clock_timestamp() WHERE name = $1 RETURNING name', [
      `instance/${instance}`,
    ]);
    if (lapsed.length !== 1) throw new Error('the instance has no lease');
  }

  async dispose(): Promise<void> {
    await Promise.all(this.all.map((gateway) => gateway.dispose()));
    await this.#remove();
  }
}
