import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

/** Lines wait so long for others: no time for a reader, and at load one system call for many of them. */
const GATHER_MS = 20;

/**
 * Stdout, not written to at once: one blocking write a request was 5% of its time, and a reader that stalls would have stalled every
 * request. The lines of some milliseconds are written together, the rest at exit; while nobody reads, 16 MiB of them wait and what is
 * beyond is lost.
 */
function stdout(): DestinationStream {
  const lines = pino.destination({ fd: process.stdout.fd, sync: false, minLength: 8_192, maxLength: 16_777_216 });
  let due = false;
  const flush = (): void => {
    due = false;
    lines.flush();
  };
  return {
    write(line) {
      lines.write(line);
      if (!due) setTimeout(flush, GATHER_MS).unref();
      due = true;
    },
  };
}

/** JSON lines on stdout. Requests and errors are written field by field elsewhere; here is no way for a header or a body to get in. */
export function makeLogger(destination?: DestinationStream): Logger {
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination ?? stdout());
}

/** For commands whose output is their own. */
export const silentLogger: Logger = pino({ level: 'silent' });
