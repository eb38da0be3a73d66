import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { keyFileOf, readKey, writeMissing } from './init.ts';
import { runServer, SERVE_OPTIONS } from './serve.ts';

/**
 * `npm start`: like `svc serve`, with a configuration and a key created at the first start, and runs kept in `runs-db`. In a terminal it
 * shows a link that signs the visitor in; elsewhere the key stays in its file.
 */
export async function start(args: string[]): Promise<void> {
  const { values } = readArguments(args, SERVE_OPTIONS);
  const key_file = keyFileOf(values.config);
  if (!existsSync(values.config)) await writeMissing(values.config);
  const key = (await readKey(key_file))?.trim() ?? null;
  // In the fragment, which browsers do not send; the page removes it from the address.
  const signIn = key === null ? '' : `#key=${key}`;
  if (!process.stdout.isTTY && key !== null) process.stderr.write(`svc: the key is in ${key_file}\n`);
  await runServer({ ...values, 'runs-db': values['runs-db'] ?? join(dirname(resolve(values.config)), 'runs-db') }, (url) => [
    `svc is ready: ${url}`,
    `showcase:   ${url}/showcase${signIn}`,
    `approvals:  ${url}/approvals${signIn}`,
    ...(key === null ? [] : [`The links sign you in. The key is in ${key_file}.`]),
  ]);
}
