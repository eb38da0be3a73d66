import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { parsed, type TestGateway } from './gateway.ts';

/** A kept-alive connection, which always reaches the same worker. */
export class WorkerConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #gateway: TestGateway;
  pid = 0;

  private constructor(gateway: TestGateway) {
    this.#gateway = gateway;
  }

  /** Opens one connection to each worker. */
  static async toEach(gateway: TestGateway, workers: number): Promise<WorkerConnection[]> {
    const found = new Map<number, WorkerConnection>();
    while (found.size < workers) {
      const connection = new WorkerConnection(gateway);
      await connection.#findPid();
      if (found.has(connection.pid)) connection.close();
      else found.set(connection.pid, connection);
    }
    return [...found.values()];
  }

  async #findPid(): Promise<void> {
    const { id } = await this.request('GET', '/v1/health');
    // The log is written after the answer.
    const line = await this.#gateway.until((output) =>
      output.split('\n').find((each) => each.includes('"event":"request"') && each.includes(id)),
    );
    this.pid = JSON.parse(line).pid;
  }

  async request(
    method: string,
    path: string,
    { principal = 'alice', body, headers = {} }: { principal?: string; body?: object; headers?: Record<string, string> } = {},
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  ): Promise<{ status: number | undefined; id: string; body: any }> {
    const sent = { authorization: `Bearer ${this.#gateway.key(principal)}`, 'content-type': 'application/json', ...headers };
    const asked = request(`${this.#gateway.url}${path}`, { method, agent: this.#agent, headers: sent });
    asked.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(asked, 'response');
    return { status: response.statusCode, id: response.headers['x-request-id'], body: parsed(await text(response)) };
  }

  close(): void {
    this.#agent.destroy();
  }
}
