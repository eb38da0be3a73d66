import type { IncomingMessage } from 'node:http';

/** Maximum bytes to read from a refused client. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 5_000;

/** Reads and discards the rest of a body, within limits. */
export function drainBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let read = 0;
    const stop = (): void => {
      clearTimeout(timer);
      request.off('data', count).off('end', stop).off('close', stop).off('error', stop);
      resolve();
    };
    const count = (bytes: Buffer): void => {
      read += bytes.length;
      if (read > MAX_BYTES) stop();
    };
    const timer = setTimeout(stop, MAX_MS);
    request.on('data', count).on('end', stop).on('close', stop).on('error', stop);
    request.resume();
    if (request.readableEnded || request.destroyed) stop();
  });
}
