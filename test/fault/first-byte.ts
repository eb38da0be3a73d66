import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { expect } from 'vitest';
import { echoConfig, type GatewayConfig, type TestGateway } from '../harness/gateway.ts';
import { pick } from './form.ts';
import { evidenceByRun } from './ledger-of.ts';

const CLIENTS = 8;

/** A model server that never answers, and reports the first byte of each request. */
export class FirstByte {
  readonly url: string;
  /** Number of requests whose first byte arrived. */
  seen = 0;
  onRequest: () => void = () => undefined;
  readonly #close: () => void;

  private constructor(url: string, close: () => void) {
    this.url = url;
    this.#close = close;
  }

  static async start(): Promise<FirstByte> {
    const sockets = new Set<Socket>();
    // One request per connection, because none is answered.
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
      socket.once('data', () => {
        upstream.seen += 1;
        upstream.onRequest();
        socket.resume();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const upstream = new FirstByte(`http://127.0.0.1:${port}/v1`, () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return upstream;
  }

  config(changes: Parameters<typeof echoConfig>[0] = {}): GatewayConfig {
    const providers = { upstream: { type: 'openai', base_url: this.url, timeout_ms: 300_000, connections: 64 } };
    const route = { provider: 'upstream', model: 'm-1' };
    const routes = {
      plain: { ...route, pipeline: { ingress: [], egress: [] } },
      default: { ...route, pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] } },
    };
    return echoConfig({ providers, routes, ...changes });
  }

  close(): void {
    this.#close();
  }
}

/**
 * Sends requests to every endpoint at once, or in odd rounds to a single one, and kills the gateway at the first byte of one of its upstream
 * requests. Nobody gets an answer.
 */
export async function killAtFirstByte(gateway: TestGateway, upstream: FirstByte, round: number): Promise<void> {
  const { pid } = gateway;
  const clients = round % 2 === 0 ? CLIENTS : 1;
  let left = 1 + pick(`first byte ${round}`, clients);
  upstream.onRequest = () => {
    left -= 1;
    if (left === 0) process.kill(pid, 'SIGKILL');
  };
  const messages = [{ role: 'user', content: 'hello' }];
  const asked = Array.from({ length: clients }, (_, nth) => {
    const client = clients === 1 ? pick(`door ${round}`, CLIENTS) : nth;
    const model = client % 4 < 2 ? 'plain' : 'default';
    if (client === CLIENTS - 1) return gateway.post('/v1/runs', { route: model, messages });
    return gateway.chat('hello', { model, stream: client % 2 === 0 });
  });
  for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected');
  await gateway.stop('SIGKILL');
  upstream.onRequest = () => undefined;
}

/** After a restart, every request whose first byte reached a model is a run that ended as an error, with evidence. */
export async function everyCallHasItsRun(gateway: TestGateway, upstream: FirstByte): Promise<void> {
  const { run_stats } = (await gateway.get('/v1/audit/report')).body;
  expect(run_stats.error).toBeGreaterThanOrEqual(upstream.seen);
  const evidence = await evidenceByRun(gateway);
  expect(evidence.size).toBe(run_stats.error);
  for (const record of evidence.values()) {
    expect(record).toMatchObject({ status: 'error', principal_id: 'alice' });
    const [started, ...rest] = record.events;
    expect(started?.data).toMatchObject({ from: null, to: 'running', endpoint: { provider: 'upstream', model: 'm-1' } });
    expect(rest.map(({ event_type }) => event_type)).toEqual(['interrupted', 'state']);
  }
  expect((await gateway.get('/v1/audit?status=running')).body.runs).toEqual([]);
}
