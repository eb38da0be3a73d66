import { isoTime } from '@svc/kernel';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Lines wait so long for others: no time for a reader, and at load one system call for many of them. */
const GATHER_MS = 20;
/** Lines of one write, in bytes. */
const AT_ONCE = 8_192;
/** Where several processes write to one pipe, up to so many bytes of one write stay together (PIPE_BUF on Linux). */
const WHOLE = 4_096;

/** The library's type of it knows text only. */
interface Lines {
  write(line: string | Uint8Array): boolean;
}

/**
 * Stdout, not written to at once: one blocking write a request was 5% of its time, and a reader that stalls would have stalled every
 * request. The lines of some milliseconds are written together, the rest at exit; while nobody reads, 16 MiB of them wait and what is
 * beyond is lost.
 */
function stdout(options: { minLength: number; maxWrite?: number }): DestinationStream {
  // Buffers: of text it would measure all that waits with each line anew.
  const contentMode = 'buffer';
  const lines = pino.destination({ fd: process.stdout.fd, sync: false, maxLength: 16_777_216, contentMode, ...options });
  const sink: Lines = lines;
  let due = false;
  /** Bytes that no write has taken. */
  let waiting = 0;
  const flush = (): void => {
    due = false;
    lines.flush();
  };
  lines.on('write', (bytes) => {
    waiting -= bytes;
  });
  lines.on('drop', (line) => {
    waiting -= line.length;
  });
  // A flush while a write is under way does nothing: what came during that write would wait for the next line, maybe for ever.
  lines.on('drain', () => {
    if (waiting > 0 && !due) flush();
  });
  return {
    write(text) {
      const line = Buffer.from(text);
      sink.write(line);
      waiting += line.length;
      if (!due) setTimeout(flush, GATHER_MS).unref();
      due = true;
    },
  };
}

const OPTIONS = {
  timestamp: () => `,"time":"${isoTime(Date.now())}"`,
  formatters: { level: (label: string) => ({ level: label }) },
};

/** JSON lines on stdout. Requests and errors are written field by field elsewhere; here is no way for a header or a body to get in. */
export function makeLogger(): Logger {
  return pino({ ...OPTIONS, base: null }, stdout({ minLength: AT_ONCE }));
}

/** The same for one of several processes that write to the same stdout: each line has its `pid`, and arrives whole. */
export function makeSharedLogger(): Logger {
  return pino({ ...OPTIONS, base: { pid: process.pid } }, stdout({ minLength: WHOLE / 2, maxWrite: WHOLE }));
}

/** For commands whose output is their own. */
export const silentLogger: Logger = pino({ level: 'silent' });
