import { isoTime } from '@svc/contracts';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { LOG_DEFAULTS, type LogSettings } from './log-settings.ts';
import { stdoutSink } from './log-sink.ts';
import { LogWriter } from './log-writer.ts';
import { prettyLine } from './pretty-line.ts';

/** Maximum number of bytes of lines per write. */
const MAX_WRITE = 65_536;
/** If several processes write to one pipe, writes up to this size are atomic (PIPE_BUF on Linux). */
const MAX_WHOLE = 4_096;

/** One writer for each logger of this process. */
const writers: LogWriter[] = [];

/** The member of logged fields with further fields for people. JSON lines leave it out, as they do every symbol. */
export const FOR_PEOPLE = Symbol('fields for people');

const OPTIONS = {
  timestamp: () => `,"time":"${isoTime(Date.now())}"`,
  formatters: { level: (label: string) => ({ level: label }) },
};

const FORMATTERS_FOR_PEOPLE = {
  ...OPTIONS.formatters,
  log: (fields: Record<string, unknown>) => ({ ...fields, ...Reflect.get(fields, FOR_PEOPLE) }),
};

/** The same logger with another destination. */
export function loggerTo(
  destination: DestinationStream,
  base: { pid: number } | null = null,
  { level, format }: LogSettings = LOG_DEFAULTS,
): Logger {
  const options: LoggerOptions = { ...OPTIONS, base, level };
  if (!isPretty(format)) return pino(options, destination);
  return pino({ ...options, formatters: FORMATTERS_FOR_PEOPLE }, { write: (line) => void destination.write(prettyLine(line)) });
}

function isPretty(format: LogSettings['format']): boolean {
  return format === 'auto' ? process.stdout.isTTY : format === 'pretty';
}

function loggerOf(base: { pid: number } | null, max_write: number, settings: LogSettings): Logger {
  const writer = new LogWriter(stdoutSink(), max_write, (lines) => logger.warn({ event: 'log_lines_lost', lines }));
  const logger = loggerTo(writer, base, settings);
  writers.push(writer);
  return logger;
}

/**
 * Writes lines to stdout: JSON, or lines for people on a terminal. Requests and errors are logged field by field elsewhere, so that no header or body can
 * get into the log.
 */
export function makeLogger(settings = LOG_DEFAULTS): Logger {
  return loggerOf(null, MAX_WRITE, settings);
}

/** As {@link makeLogger}, for one of several processes with the same stdout. Each line has the `pid`, and is written atomically. */
export function makeSharedLogger(settings: LogSettings): Logger {
  return loggerOf({ pid: process.pid }, MAX_WHOLE, settings);
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
