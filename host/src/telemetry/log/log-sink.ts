import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs';

/** Destination of log lines. No write blocks the event loop, however long nobody reads. */
export interface LogSink {
  /** Only one write may be in progress. `done` receives the number of bytes written, or an error if nothing can be written any more. */
  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void;
  /** For the last lines before a sudden exit. Tries only once. */
  writeNow(bytes: Buffer): void;
}

/** Retry interval for a full pipe. A fast reader takes 64 kB each time. */
const FULL_AGAIN_MS = 20;
/** Retry interval for a full disk and other failures that may pass. */
const FAILED_AGAIN_MS = 1_000;
/** Codes that mean that the reader is gone for good. */
const GONE = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'EBADF', 'ENXIO']);

/**
 * A sink for stdout, whatever that is. It writes through the thread pool and not through Node's stream, which relies on a flag of the pipe. Processes
 * share that flag, and each resets it when it starts or ends, so a write to a full pipe would block.
 */
export function stdoutSink(): LogSink {
  const fd = unblocked(process.stdout.fd);
  const attempt: LogSink['write'] = (bytes, done) => {
    write(fd, bytes, (error, written) => {
      if (error === null) done(null, written);
      else if (GONE.has(error.code ?? '')) done(error, 0);
      else setTimeout(attempt, error.code === 'EAGAIN' ? FULL_AGAIN_MS : FAILED_AGAIN_MS, bytes, done).unref();
    });
  };
  return { write: attempt, writeNow: (bytes) => void writeSync(fd, bytes) };
}

/**
 * The same pipe or terminal, reopened with O_NONBLOCK. Otherwise, a write to a full pipe, or to a terminal stopped by Ctrl-S, would block a thread. A
 * socket cannot be reopened: while it is full, it blocks a thread.
 */
function unblocked(fd: number): number {
  const kind = fstatSync(fd);
  if (!kind.isFIFO() && !kind.isCharacterDevice()) return fd;
  try {
    const own = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const same = fstatSync(own);
    if (same.ino === kind.ino && same.dev === kind.dev) return own;
    closeSync(own);
  } catch {
    // There is no /proc, the pipe belongs to another user, or its reader is gone.
  }
  return fd;
}
