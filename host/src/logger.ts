import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

/** Lines, in bytes, that wait for a reader of stdout who does not read; beyond them lines are dropped, so that memory stays bounded. */
const MOST_WAITING = 16 * 1024 * 1024;

/** JSON lines on stdout. Requests and errors are written field by field elsewhere; here is no way for a header or a body to get in. */
export function makeLogger(destination?: DestinationStream): Logger {
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Not `sync`: one blocking write a request was 5% of its time, and a reader of stdout that stalls would have stalled every request.
  // What waits is written at exit.
  return pino(options, destination ?? pino.destination({ fd: process.stdout.fd, sync: false, maxLength: MOST_WAITING }));
}

/** For commands whose output is their own. */
export const silentLogger: Logger = pino({ level: 'silent' });
