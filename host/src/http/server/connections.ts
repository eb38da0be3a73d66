import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { Server as NetServer, type Socket } from 'node:net';
import { type TLSSocket, Server as TlsServer } from 'node:tls';

/** How long the remaining responses may take to be sent after the last run has ended. */
const SENDING_GRACE_MS = 5_000;

/**
 * Tracks the connections of a server, so that a shutdown cuts off no response. The `close` of an HTTP server closes idle connections, and treats a
 * connection as idle when its response was handed over, even if it has not been sent.
 */
export class Connections {
  readonly #server: Server;
  /** Number of unsent responses of each HTTP/1 connection. */
  readonly #unsent = new Map<Socket, number>();
  /** HTTP/2 connections. */
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

  /** Stops listening but keeps open connections, as the `close` of a plain TCP server does. Resolves when all connections have ended. */
  stopListening(): Promise<void> {
    // Each session ends with its last response.
    for (const session of this.#sessions) session.close();
    return new Promise((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
  }

  /**
   * Ends each connection when its responses have been sent, and waits until the server is closed. A client that does not read its response is cut off
   * after the grace period.
   */
  async endWhenSent(closed: Promise<unknown>): Promise<void> {
    this.#closing = true;
    for (const socket of this.#unsent.keys()) this.#count(socket, 0);
    const timeout = setTimeout(() => this.#destroyAll(), SENDING_GRACE_MS);
    try {
      await closed;
    } finally {
      clearTimeout(timeout);
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
