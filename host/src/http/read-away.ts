import type { IncomingMessage } from 'node:http';

/** As much, and for as long, as a client is heard out whose body is too large. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_MS = 5_000;

/**
 * Reads what a refused client still sends and throws it away, within bounds. Answered and closed at once, a client that is still sending
 * meets a broken connection and never sees why.
 */
export function readAway(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let read = 0;
    const stop = (): void => {
      clearTimeout(timer);
      request.off('data', count).off('end', stop).off('close', stop).off('error', stop);
      resolve();
    };
    const count = (bytes: Buffer): void => {
      read += bytes.length;
      if (read > MOST_BYTES) stop();
    };
    const timer = setTimeout(stop, MOST_MS);
    request.on('data', count).on('end', stop).on('close', stop).on('error', stop);
    // A chunked body is piped to a counter, which nobody reads any more and which would hold it back.
    request.unpipe().resume();
    if (request.readableEnded || request.destroyed) stop();
  });
}
