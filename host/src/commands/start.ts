import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { runServer, SERVE_OPTIONS } from './serve.ts';
import { readKey, starterFilesOf, writeMissing } from './starter-files.ts';

/**
 * `npm start`: like `svc serve`, but with a configuration and keys that are created at the first start, and with the runs in `runs-db`. In a
 * terminal, it shows links that sign the visitor in. Elsewhere, the keys stay in their files.
 */
export async function start(args: string[]): Promise<void> {
  const { values } = readArguments(args, SERVE_OPTIONS);
  const files = starterFilesOf(values.config);
  if (!existsSync(values.config)) await writeMissing(files);
  const key = await readKey(files.key_file);
  // A configuration of an earlier release has no approver.
  const approver_key = await readKey(files.approver_key_file);
  const written = [...(key === null ? [] : [files.key_file]), ...(approver_key === null ? [] : [files.approver_key_file])];
  if (!process.stdout.isTTY && written.length > 0) process.stderr.write(`svc: keys are in ${written.join(' and ')}\n`);
  const runs_db = values['runs-db'] ?? join(dirname(resolve(values.config)), 'runs-db');
  await runServer({ ...values, 'runs-db': runs_db }, (url) => [
    ...linesOf(url, { key, approver_key }),
    ...(written.length === 0 ? [] : [`The links sign you in. Keys are in ${written.join(' and ')}.`]),
  ]);
}

/** The approver's key opens the approvals page, because nobody may approve their own request. Without such a key, the only key does. */
export function linesOf(url: string, { key, approver_key }: { key: string | null; approver_key: string | null }): string[] {
  return [
    `svc is ready: ${url}`,
    `showcase:   ${url}/showcase${signIn(key)}`,
    `approvals:  ${url}/approvals${signIn(approver_key ?? key)}`,
  ];
}

/** The key is in the fragment, which browsers do not send. The page removes it from the address. */
function signIn(key: string | null): string {
  return key === null ? '' : `#key=${key}`;
}
