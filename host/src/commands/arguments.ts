import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { errorMessage } from '@svc/contracts';
import { Refusal } from '../errors/refusal.ts';

/** Reads a command's arguments strictly: what it does not know is a misuse, never ignored. */
export function readArguments<T extends ParseArgsOptionsConfig>(args: string[], options: T, positionals: readonly string[] = []) {
  try {
    const read = parseArgs({ args, options, allowPositionals: positionals.length > 0, strict: true });
    if (read.positionals.length < positionals.length) throw new Error(`missing ${positionals[read.positionals.length]}`);
    if (read.positionals.length > positionals.length)
      throw new Error(`unexpected argument ${read.positionals[positionals.length]}`);
    return read;
  } catch (error) {
    throw new Refusal(`${errorMessage(error, 'bad arguments')}; svc --help shows how`, 2);
  }
}

/** What to say to a command of a group that is not there (`svc keys old`) or left out (`svc keys`). `known`: each as it is typed. */
export function unknownCommand(group: string, command: string | undefined, known: readonly [string, ...string[]]): Refusal {
  const said = command === undefined ? `${group} needs a command` : `unknown command ${group} ${command}`;
  return new Refusal(`${said}; there ${known.length === 1 ? 'is' : 'are'}: ${known.join(', ')}`, 2);
}

/** @throws {Refusal} unless the text is a TCP port */
export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535) throw new Refusal(`--port ${text} is no port: give a number from 0 to 65535`, 2);
  return port;
}
