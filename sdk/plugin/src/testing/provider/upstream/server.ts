import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answer } from './answers.ts';
import type { Behaviour, UpstreamRequest } from './behaviour.ts';

export interface Upstream {
  /** Base URL for a configuration, such as `http://127.0.0.1:40001/v1`. */
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly UpstreamRequest[];
  /** Queues behaviours, one per request. When none is left, the default of `startUpstream` applies. */
  respond(...behaviours: readonly Behaviour[]): void;
  /** Resolves to the `count`-th request (counted from 1) when its body has been read. */
  received(count: number): Promise<UpstreamRequest>;
  /** Closes all connections and stops. Rejects with the first error that a behaviour threw. */
  close(): Promise<void>;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function disconnection(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', () => {
      if (!response.writableFinished) resolve();
    });
  });
}

/**
 * Starts a double of a model server on a free port of 127.0.0.1. It records requests, and answers with the queued behaviours.
 * @param otherwise behaviour if none is queued; default: answers like an OpenAI-compatible server
 */
export async function startUpstream(otherwise: Behaviour = answer()): Promise<Upstream> {
  const requests: UpstreamRequest[] = [];
  const queue: Behaviour[] = [];
  const waiting = new Map<number, PromiseWithResolvers<UpstreamRequest>>();
  const connections = new WeakMap<object, number>();
  const failures: unknown[] = [];
  let connected = 0;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const disconnected = disconnection(response);
    const body = await text(incoming);
    const request: UpstreamRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      text: body,
      body: parsed(body),
      connection: connections.get(incoming.socket) ?? 0,
      disconnected,
    };
    const behaviour = queue.shift() ?? otherwise;
    requests.push(request);
    waiting.get(requests.length)?.resolve(request);
    await behaviour(request, response);
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      // A client that disconnects while sending its request is not a failure of a behaviour.
      if (incoming.complete) failures.push(error);
      response.destroy();
    });
  });
  server.on('connection', (socket) => {
    connected += 1;
    connections.set(socket, connected);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    respond: (...behaviours) => void queue.push(...behaviours),
    received: (count) => {
      const known = requests[count - 1];
      if (known !== undefined) return Promise.resolve(known);
      const waiter = waiting.get(count) ?? Promise.withResolvers<UpstreamRequest>();
      waiting.set(count, waiter);
      return waiter.promise;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      if (failures.length > 0) throw failures[0];
    },
  };
}
