import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { bannerLines } from './banner.ts';
import { runServer, SERVE_OPTIONS, type ServeValues } from './serve.ts';
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
  const chat_prefix = prefixOf(values, key === null ? null : files.key_file);
  await runServer({ ...values, 'runs-db': runs_db }, (started) =>
    bannerLines(started, {
      key,
      approver_key,
      key_files: written.map((file) => relative('', file)),
      chat_prefix,
      config: values.config,
    }),
  );
}

/** The path is relative if it is below the working folder, so that the line stays short. */
function prefixOf({ 'no-auth': no_auth }: ServeValues, key_file: string | null): string {
  if (no_auth) return '';
  const path = key_file === null ? null : relative('', key_file);
  return path === null || path.includes("'") ? 'SVC_KEY=… ' : `SVC_KEY=$(cat '${path}') `;
}
