import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { Server as NetServer, type Socket } from 'node:net';
import { type TLSSocket, Server as TlsServer } from 'node:tls';

/** How long answers may take to reach their clients after the last run has ended. */
const SENDING_GRACE_MS = 5_000;

/**
 * The connections of a server, so that it can stop without cutting an answer short: the `close` of an HTTP server also closes idle
 * connections, and takes a connection for idle as soon as its answer is handed over, sent or not.
 */
export class Connections {
  readonly #server: Server;
  /** Answers that each connection of HTTP/1 still has to send. */
  readonly #unsent = new Map<Socket, number>();
  /** Connections of HTTP/2. */
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #sockets = new Set<Socket>();
  #closing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket | TLSSocket) => {
      if ('alpnProtocol' in socket && socket.alpnProtocol === 'h2') return;
      this.#unsent.set(socket, 0);
      socket.once('close', () => this.#unsent.delete(socket));
    });
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
    server.on('request', ({ socket, httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
      if (httpVersionMajor > 1) return;
      this.#count(socket, 1);
      response.once('close', () => this.#count(socket, -1));
    });
  }

  /** Takes no more connections and keeps those that there are: the `close` of a plain TCP server. Resolves once all have ended. */
  stopListening(): Promise<void> {
    // They end with their last answer.
    for (const session of this.#sessions) session.close();
    return new Promise((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
  }

  /**
   * Ends each connection once it has sent its answers, and waits until the server is closed. A client that does not take its answer is not
   * waited for beyond the grace.
   */
  async endWhenSent(closed: Promise<unknown>): Promise<void> {
    this.#closing = true;
    for (const socket of this.#unsent.keys()) this.#count(socket, 0);
    const impatience = setTimeout(() => this.#destroyAll(), SENDING_GRACE_MS);
    try {
      await closed;
    } finally {
      clearTimeout(impatience);
    }
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #count(socket: Socket, change: number): void {
    const unsent = (this.#unsent.get(socket) ?? 0) + change;
    if (this.#unsent.has(socket)) this.#unsent.set(socket, unsent);
    if (this.#closing && unsent === 0) socket.end();
  }
}
