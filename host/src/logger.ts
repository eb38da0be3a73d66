import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

/**
 * Not `sync`: one blocking write a request was 5% of its time, and a reader of stdout that stalls would have stalled every request. Lines
 * are written together, after a tenth of a second at the latest and at exit; while nobody reads, 16 MiB wait and what is beyond is lost.
 */
const STDOUT = { fd: process.stdout.fd, sync: false, minLength: 8_192, periodicFlush: 100, maxLength: 16_777_216 };

/** JSON lines on stdout. Requests and errors are written field by field elsewhere; here is no way for a header or a body to get in. */
export function makeLogger(destination?: DestinationStream): Logger {
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination ?? pino.destination(STDOUT));
}

/** For commands whose output is their own. */
export const silentLogger: Logger = pino({ level: 'silent' });
