import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs';

/** Destination of log lines. No write blocks the event loop, however long nobody reads. */
export interface LogSink {
  /** One write at a time. `done` receives the number of bytes written, or the error if none ever will be. */
  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void;
  /** For the last lines before a sudden exit: tried once. */
  writeNow(bytes: Buffer): void;
}

/** Retry interval for a full pipe. A fast reader takes 64 kB each time. */
const FULL_AGAIN_MS = 20;
/** Retry interval for a full disk and other failures that may pass. */
const FAILED_AGAIN_MS = 1_000;
/** The reader is gone for good. */
const GONE = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'EBADF', 'ENXIO']);

/**
 * A sink for stdout, whatever it is. Writes through the thread pool, not through Node's stream: that relies on a flag of the pipe that
 * processes share, and which each process resets when it starts or ends, so that a write to a full pipe would block.
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
 * The same pipe or terminal, reopened with O_NONBLOCK: a write to a full one, or to a terminal stopped by Ctrl-S, would block a thread. A
 * socket cannot be reopened: while it is full it blocks one.
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
    // No /proc, it belongs to another user, or its reader is gone.
  }
  return fd;
}
