import { isoTime } from '@svc/contracts';
import { type Logger, pino } from 'pino';
import { stdoutSink } from './log-sink.ts';
import { LogWriter } from './log-writer.ts';

/** Lines of one write, in bytes. */
const MAX_WRITE = 65_536;
/** Where several processes write to one pipe, up to so many bytes of one write stay together (PIPE_BUF on Linux). */
const MAX_WHOLE = 4_096;

/** One for each logger of this process. */
const writers: LogWriter[] = [];

const OPTIONS = {
  timestamp: () => `,"time":"${isoTime(Date.now())}"`,
  formatters: { level: (label: string) => ({ level: label }) },
};

function loggerOf(base: { pid: number } | null, max_write: number): Logger {
  const writer = new LogWriter(stdoutSink(), max_write, (lines) => logger.warn({ event: 'log_lines_lost', lines }));
  const logger: Logger = pino({ ...OPTIONS, base }, writer);
  writers.push(writer);
  return logger;
}

/** JSON lines on stdout. Requests and errors are written field by field elsewhere; here is no way for a header or a body to get in. */
export function makeLogger(): Logger {
  return loggerOf(null, MAX_WRITE);
}

/** The same for one of several processes that write to the same stdout: each line has its `pid`, and arrives whole. */
export function makeSharedLogger(): Logger {
  return loggerOf({ pid: process.pid }, MAX_WHOLE);
}

/** Before the process ends: what waits is written, as far as somebody reads. */
export async function flushLogs(limit_ms: number): Promise<void> {
  await Promise.all(writers.map((writer) => writer.flush(limit_ms)));
}

/** Lines that nobody will read: their reader was gone, or too slow. */
export function logLinesLost(): number {
  return writers.reduce((sum, { lost }) => sum + lost, 0);
}

/** For commands whose output is their own. */
export const silentLogger: Logger = pino({ level: 'silent' });
