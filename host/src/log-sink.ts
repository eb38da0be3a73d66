import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Where log lines go. Nothing here blocks the event loop, however long nobody reads. */
export interface LogSink {
  /** One write at a time. `done` gets how many bytes were taken, or why none ever will be. */
  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void;
  /** For the last lines of a process that ends at once: tried, never waited for. */
  writeNow(bytes: Buffer): void;
}

/** A file that is full, or a terminal that is stopped, is tried again after this. */
const AGAIN_MS = 100;
/** The reader is gone for good; anything else may pass. */
const GONE = new Set(['EPIPE', 'EBADF', 'ENXIO']);

/** For stdout, whatever it is. Pipes and sockets go through Node's stream, which waits for them by the event loop. */
export function stdoutSink(): LogSink {
  const { fd } = process.stdout;
  const kind = fstatSync(fd);
  if (kind.isFIFO() || kind.isSocket()) return streamSink(process.stdout, fd);
  return fileSink(isatty(fd) ? unblocked(fd) : fd);
}

function streamSink(stream: NodeJS.WriteStream, fd: number): LogSink {
  // Each write tells of its own failure; without a listener it would end the process too.
  stream.on('error', () => undefined);
  return {
    write: (bytes, done) => {
      stream.write(bytes, (error) => done(error ?? null, error ? 0 : bytes.length));
    },
    writeNow: (bytes) => void writeSync(fd, bytes),
  };
}

function fileSink(fd: number): LogSink {
  const attempt: LogSink['write'] = (bytes, done) => {
    write(fd, bytes, (error, written) => {
      if (error === null) done(null, written);
      else if (GONE.has(error.code ?? '')) done(error, 0);
      else setTimeout(attempt, AGAIN_MS, bytes, done).unref();
    });
  };
  return { write: attempt, writeNow: (bytes) => void writeSync(fd, bytes) };
}

/** The same terminal, opened so that a write to it never waits: one that was stopped (Ctrl-S) would hold a thread for ever. */
function unblocked(fd: number): number {
  try {
    const own = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    if (isatty(own)) return own;
    closeSync(own);
  } catch {
    // No /proc, or the terminal is another user's.
  }
  return fd;
}
