import { isObject } from '@svc/contracts';
import { Value } from 'typebox/value';
import { withDefaults } from '../config/defaults.ts';
import { readSource } from '../config/read-source.ts';
import { LogsSchema } from '../config/telemetry-section.ts';
import { CliError } from '../errors/cli-error.ts';
import { LOG_DEFAULTS, LOG_FORMATS, LOG_LEVELS, type LogSettings } from '../telemetry/log/log-settings.ts';

export const LOG_OPTIONS = { 'log-level': { type: 'string' }, 'log-format': { type: 'string' } } as const;

interface LogValues {
  readonly 'log-level'?: string | undefined;
  readonly 'log-format'?: string | undefined;
}

/** The settings of the arguments, or else those of `telemetry.logs`. @throws {CliError} for an unknown value */
export function logSettings(values: LogValues, logs: LogSettings): LogSettings {
  return {
    level: oneOf(LOG_LEVELS, '--log-level', values['log-level']) ?? logs.level,
    format: oneOf(LOG_FORMATS, '--log-format', values['log-format']) ?? logs.format,
  };
}

/** `telemetry.logs` of a file. The log is needed before the file is checked, so an invalid file has the defaults here: its errors are reported later. */
export async function logsIn(file: string): Promise<LogSettings> {
  const { value } = await readSource(file);
  const logs = withDefaults(LogsSchema, isObject(value?.telemetry) ? value.telemetry.logs : undefined);
  return Value.Check(LogsSchema, logs) ? logs : LOG_DEFAULTS;
}

function oneOf<T extends string>(known: readonly T[], option: string, value: string | undefined): T | undefined {
  const found = known.find((name) => name === value);
  if (value !== undefined && found === undefined) throw new CliError(`${option} ${value} is unknown: use ${known.join(', ')}`, 2);
  return found;
}
