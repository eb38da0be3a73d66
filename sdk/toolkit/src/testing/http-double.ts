import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A double of an HTTP service on a free port of 127.0.0.1. A subclass says how it responds. */
export abstract class HttpDouble {
  #port = 0;
  readonly #server = createServer((request, response) => void this.serve(request, response));

  protected abstract serve(request: IncomingMessage, response: ServerResponse): Promise<void>;

  /** Such as `http://127.0.0.1:8080`. */
  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts listening, on the previous port if there was one. */
  async listen(): Promise<this> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Stops listening and closes open connections. Does nothing if it is closed. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
