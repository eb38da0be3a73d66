import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * If a connection breaks within this time after the request was written, about a round trip, the server may have closed it before the request
 * arrived. Later, the server may have processed the request.
 */
const MAX_RACE_MS = 1_000;

/** Codes of a lost connection. */
const LOST: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Connections that have been used for a call. */
const used = new WeakSet<Socket>();

/** The call whose request undici is about to write. */
let starting: ConnectionUse | null = null;

// undici's diagnostics channel is the only way to find out the connection of a call. All dispatchers share it. The event is published in the same
// turn as `onRequestStart`.
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { readonly socket: Socket };
  starting?.begin(socket);
  starting = null;
});

/** A reused connection broke before any byte of an answer arrived: the server closed it while the request was on its way. */
export class StaleConnection extends Error {}

/** A call's use of its connection. */
export class ConnectionUse {
  #socket: Socket | null = null;
  #isReused = false;
  #read_before = 0;
  #began = 0;

  /** Call this in `onRequestStart`. */
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

  /** The error of a call, as a {@link StaleConnection} if it is one. */
  explained(error: Error): Error {
    const isLost = 'code' in error && LOST.has(error.code);
    const isUnanswered = this.#socket?.bytesRead === this.#read_before;
    const isRace = performance.now() - this.#began < MAX_RACE_MS;
    return isLost && this.#isReused && isUnanswered && isRace ? new StaleConnection('', { cause: error }) : error;
  }
}
