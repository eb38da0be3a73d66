import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

/** JSON lines on stdout. Requests and errors are written field by field elsewhere; here is no way for a header or a body to get in. */
export function makeLogger(destination?: DestinationStream): Logger {
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** For commands whose output is their own. */
export const silentLogger: Logger = pino({ level: 'silent' });
