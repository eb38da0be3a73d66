import { isoTime } from '@svc/contracts';
import { type DestinationStream, type Logger, pino } from 'pino';
import { stdoutSink } from './log-sink.ts';
import { LogWriter } from './log-writer.ts';

/** Maximum number of bytes of lines per write. */
const MAX_WRITE = 65_536;
/** If several processes write to one pipe, writes up to this size are atomic (PIPE_BUF on Linux). */
const MAX_WHOLE = 4_096;

/** One writer for each logger of this process. */
const writers: LogWriter[] = [];

const OPTIONS = {
  timestamp: () => `,"time":"${isoTime(Date.now())}"`,
  formatters: { level: (label: string) => ({ level: label }) },
};

/** The same logger with another destination. */
export function loggerTo(destination: DestinationStream, base: { pid: number } | null = null): Logger {
  return pino({ ...OPTIONS, base }, destination);
}

function loggerOf(base: { pid: number } | null, max_write: number): Logger {
  const writer = new LogWriter(stdoutSink(), max_write, (lines) => logger.warn({ event: 'log_lines_lost', lines }));
  const logger = loggerTo(writer, base);
  writers.push(writer);
  return logger;
}

/** Writes JSON lines to stdout. Requests and errors are logged field by field elsewhere, so that no header or body can get into the log. */
export function makeLogger(): Logger {
  return loggerOf(null, MAX_WRITE);
}

/** As {@link makeLogger}, for one of several processes with the same stdout. Each line has the `pid`, and is written atomically. */
export function makeSharedLogger(): Logger {
  return loggerOf({ pid: process.pid }, MAX_WHOLE);
}

/** Call this before the process ends. Writes the queue, unless nobody reads it. */
export async function flushLogs(limit_ms: number): Promise<void> {
  await Promise.all(writers.map((writer) => writer.flush(limit_ms)));
}

/** Number of lines that were lost because the reader was gone or too slow. */
export function logLinesLost(): number {
  return writers.reduce((sum, { lost }) => sum + lost, 0);
}

/** For commands that print their own output. */
export const silentLogger: Logger = pino({ level: 'silent' });
