import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * How long after a request was written its connection may break because the server had closed it before: about a round trip. After that the
 * request may have been worked on.
 */
const MAX_RACE_MS = 1_000;

/** How a connection is lost. */
const LOST: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Connections that have carried a call. */
const used = new WeakSet<Socket>();

/** The call whose request undici is about to write. */
let starting: ConnectionUse | null = null;

// The only way to learn of a connection, and the same for every dispatcher. It is published in the turn of `onRequestStart`.
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { readonly socket: Socket };
  starting?.begin(socket);
  starting = null;
});

/** A reused connection broke before any byte of an answer came: the server had closed it while the request was on its way. */
export class StaleConnection extends Error {}

/** What one call makes of its connection. */
export class ConnectionUse {
  #socket: Socket | null = null;
  #isReused = false;
  #read_before = 0;
  #began = 0;

  /** To be called in `onRequestStart`. */
  start(): void {
    starting = this;
  }

  begin(socket: Socket): void {
    this.#socket = socket;
    this.#isReused = used.has(socket);
    this.#read_before = socket.bytesRead;
    this.#began = performance.now();
    used.add(socket);
  }

  /** The error that a call ended with, as a {@link StaleConnection} where it is one. */
  explained(error: Error): Error {
    const isLost = 'code' in error && LOST.has(error.code);
    const isUnanswered = this.#socket?.bytesRead === this.#read_before;
    const isRace = performance.now() - this.#began < MAX_RACE_MS;
    return isLost && this.#isReused && isUnanswered && isRace ? new StaleConnection('', { cause: error }) : error;
  }
}
