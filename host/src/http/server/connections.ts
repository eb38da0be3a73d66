import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** How long answers may take to reach their clients after the last run has ended. */
const SENDING_GRACE_MS = 5_000;

/**
 * The connections of a server, so that it can stop without cutting an answer short: the `close` of an HTTP server also closes idle
 * connections, and takes a connection for idle as soon as its answer is handed over, sent or not.
 */
export class Connections {
  readonly #server: Server;
  /** Answers that each connection still has to send. */
  readonly #unsent = new Map<Socket, number>();
  #closing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#unsent.set(socket, 0);
      socket.once('close', () => this.#unsent.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#count(socket, 1);
      response.once('close', () => this.#count(socket, -1));
    });
  }

  /** Takes no more connections and keeps those that there are: the `close` of a plain TCP server. Resolves once all have ended. */
  stopListening(): Promise<void> {
    return new Promise((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
  }

  /**
   * Ends each connection once it has sent its answers, and waits until the server is closed. A client that does not take its answer is not
   * waited for beyond the grace.
   */
  async endWhenSent(closed: Promise<unknown>): Promise<void> {
    this.#closing = true;
    for (const socket of this.#unsent.keys()) this.#count(socket, 0);
    const impatience = setTimeout(() => this.#server.closeAllConnections(), SENDING_GRACE_MS);
    try {
      await closed;
    } finally {
      clearTimeout(impatience);
    }
  }

  #count(socket: Socket, change: number): void {
    const unsent = (this.#unsent.get(socket) ?? 0) + change;
    if (this.#unsent.has(socket)) this.#unsent.set(socket, unsent);
    if (this.#closing && unsent === 0) socket.end();
  }
}
