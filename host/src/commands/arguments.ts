import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { errorMessage } from '@svc/contracts';
import { CliError } from '../errors/cli-error.ts';

/** The option `--config` of the commands that read a configuration. */
export const CONFIG_OPTION = { type: 'string', default: 'svc.yaml' } as const;

/** Parses a command's arguments strictly. An unknown argument is a usage error and never ignored. */
export function readArguments<T extends ParseArgsOptionsConfig>(
  args: string[],
  options: T,
  required: readonly string[] = [],
  optional: readonly string[] = [],
) {
  try {
    const most = required.length + optional.length;
    const read = parseArgs({ args, options, allowPositionals: most > 0, strict: true });
    if (read.positionals.length < required.length) throw new Error(`missing argument ${required[read.positionals.length]}`);
    if (read.positionals.length > most) throw new Error(`unexpected argument ${read.positionals[most]}`);
    return read;
  } catch (error) {
    throw new CliError(`${errorMessage(error, 'invalid arguments')}; see svc --help`, 2);
  }
}

/** The error for an unknown (`svc keys old`) or missing (`svc keys`) subcommand. `known`: the subcommands with their group. */
export function unknownCommand(group: string, command: string | undefined, known: readonly [string, ...string[]]): CliError {
  const said = command === undefined ? `${group} needs a command` : `unknown command ${group} ${command}`;
  return new CliError(`${said}; there ${known.length === 1 ? 'is' : 'are'}: ${known.join(', ')}`, 2);
}

/** @throws {CliError} unless the text is a TCP port */
export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new CliError(`--port ${text} is not a valid port: use a number from 0 to 65535`, 2);
  return port;
}
