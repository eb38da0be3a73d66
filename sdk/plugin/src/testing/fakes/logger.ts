import type { Logger } from '@svc/contracts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string | undefined;
}

/** Prints nothing and keeps every line, so that a test can search them. */
export interface FakeLogger extends Logger {
  readonly lines: readonly LogLine[];
}

export function fakeLogger(): FakeLogger {
  const lines: LogLine[] = [];
  const at =
    (level: LogLine['level']) =>
    (fields: object, message?: string): void => {
      lines.push({ level, fields, message });
    };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
