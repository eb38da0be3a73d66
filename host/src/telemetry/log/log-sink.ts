import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs';

/** Where log lines go. No write here blocks the event loop, however long nobody reads. */
export interface LogSink {
  /** One write at a time. `done` gets how many bytes were taken, or why none ever will be. */
  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void;
  /** For the last lines of a process that ends at once: tried, never repeated. */
  writeNow(bytes: Buffer): void;
}

/** A pipe that is full is tried again after this: 64 kB each time where it is read at once. */
const FULL_AGAIN_MS = 20;
/** A disk that is full, or whatever else may pass. */
const FAILED_AGAIN_MS = 1_000;
/** The reader is gone for good. */
const GONE = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'EBADF', 'ENXIO']);

/**
 * For stdout, whatever it is. Writes go through the thread pool and not through Node's stream: that one relies on a flag of the pipe which
 * processes share, and each that starts or ends sets it back, so that a write to a full pipe would block.
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
 * The same pipe or terminal, opened anew so that a write never waits: one that is full, or was stopped by Ctrl-S, would hold a thread. A
 * socket cannot be opened so: while it is full it holds one.
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
    // No /proc, it is another user's, or its reader is gone already.
  }
  return fd;
}
