import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { starterConfiguration } from '../config/starter-configuration.ts';
import { CliError } from '../errors/cli-error.ts';
import { exposure } from '../key-storage/private-file.ts';
import { readIfThere } from '../key-storage/secret-file.ts';
import { hashOfKey, newKey } from '../keys/new-key.ts';
import { readArguments } from './arguments.ts';

/** `svc init [--config F] [--json]`: writes a commented configuration and a new key. Overwrites neither. */
export async function init(args: string[]): Promise<void> {
  const { values } = readArguments(args, {
    config: { type: 'string', default: 'svc.yaml' },
    json: { type: 'boolean', default: false },
  });
  const { config, key_file } = await writeStarter(values.config);
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ config, key_file }, null, 2)}\n`);
    return;
  }
  process.stdout.write(`wrote ${config}, and the key of principal "admin" to ${key_file} (readable by you only)\n`);
  process.stdout.write(`next: npx svc serve --config ${config} --runs-db runs-db\n`);
}

/** @throws {CliError} if one of the files exists */
async function writeStarter(config: string): Promise<{ config: string; key_file: string }> {
  const key_file = keyFileOf(config);
  for (const file of [config, key_file]) {
    if (existsSync(file)) throw new CliError(`${file} already exists and is not overwritten: move it or use --config`);
  }
  await writeMissing(config);
  return { config, key_file };
}

/** Writes a starter configuration. An existing key beside it is used. */
export async function writeMissing(config: string): Promise<void> {
  const key_file = keyFileOf(config);
  await mkdir(dirname(key_file), { recursive: true });
  if (!existsSync(key_file)) await writeFile(key_file, `${newKey().key}\n`, { mode: 0o600, flag: 'wx' });
  const key = ((await readKey(key_file)) ?? '').trim();
  await writeFile(config, starterConfiguration(hashOfKey(key)), { flag: 'wx' });
}

/** Null: there is none. @throws {CliError} where others may use it */
export async function readKey(key_file: string): Promise<string | null> {
  const wrong = await exposure(key_file);
  if (wrong !== null) throw new CliError(wrong);
  return readIfThere(key_file);
}

/** The file of a configuration's first key, for `svc init` and `npm start`. */
export function keyFileOf(config: string): string {
  return join(dirname(resolve(config)), 'svc.key');
}
