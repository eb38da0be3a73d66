import type { IncomingMessage, ServerResponse } from 'node:http';

/** A received request. */
export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The body as text, and parsed. Undefined if it is not JSON. */
  readonly text: string;
  readonly body: unknown;
  /** The number of the TCP connection, counted from 1. Equal numbers prove keep-alive. */
  readonly connection: number;
  /** Resolves if the client closes the connection before it has the whole answer. Otherwise, stays pending. */
  readonly disconnected: Promise<void>;
}

/** Answers one request. If this throws, the connection is closed, and `close()` rejects with the error. */
export type Behaviour = (request: UpstreamRequest, response: ServerResponse) => void | Promise<void>;
