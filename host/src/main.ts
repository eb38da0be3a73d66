#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMANDS } from './commands/commands.ts';
import { helpOf } from './commands/help.ts';
import { endProcess } from './ending/end-process.ts';
import { say } from './ending/say.ts';
import { CliError } from './errors/cli-error.ts';
import { systemRefusal } from './errors/system-refusal.ts';
import { endOnBrokenPipe } from './process/broken-pipe.ts';
import { limitHeap } from './process/heap-limits.ts';
import { assertKeysKept } from './process/json-keys.ts';
import { tooOld } from './process/node-version.ts';
import { styled } from './terminal/terminal.ts';

/** The folder of Node that a clone has installed. Some unsupported Node versions lack `import.meta.dirname`. */
const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));

/** Long-running commands. */
const SERVERS: ReadonlySet<string> = new Set(['serve', 'start']);

async function main([name, ...args]: string[]): Promise<void> {
  if (name === undefined) {
    process.stderr.write(helpOf());
    process.exitCode = 2;
  } else if (name === '--version' || name === '-v') {
    const { pep440, VERSION } = await import('@svc/kernel/version');
    process.stdout.write(`${pep440(VERSION)}\n`);
  } else if (['--help', '-h', 'help'].includes(name)) process.stdout.write(helpOf(args[0]));
  else if (args.includes('--help') || args.includes('-h')) process.stdout.write(helpOf(name));
  else {
    const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (load === undefined) throw new CliError(`unknown command ${name}; see svc --help`, 2);
    const refused = tooOld(process.versions.node, existsSync(join(BIN, 'node')) ? BIN : null);
    if (refused !== null) throw new CliError(refused);
    // The doctor reports it as one of its checks.
    if (name !== 'doctor') assertKeysKept();
    if (SERVERS.has(name)) limitHeap();
    await (await load())(args);
  }
}

// Node's own listener would open its inspector, which runs code for anybody who reaches the port.
process.on('SIGUSR1', () => undefined);
endOnBrokenPipe();
main(process.argv.slice(2)).catch(async (error: unknown) => {
  // The message of a CliError, or of a failed system call, is a sentence for people. Any other error is a bug, so its stack is shown.
  const said =
    error instanceof CliError ? error.message : (systemRefusal(error) ?? (error instanceof Error ? error.stack : error));
  await say(`${styled('red', 'svc:', process.stderr)} ${said}`);
  await endProcess(error instanceof CliError ? error.exit_code : 1, false);
});
