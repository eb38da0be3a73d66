import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { newKey } from './new-key.ts';
import { Refusal } from './refusal.ts';
import { starterConfiguration } from './starter-configuration.ts';

/** `svc init [--config F]`: writes a commented configuration and a new key, and overwrites neither. */
export async function init(args: string[]): Promise<void> {
  const { values } = readArguments(args, { config: { type: 'string', default: 'svc.yaml' } });
  const { config, key_file } = await writeStarter(values.config);
  process.stdout.write(`wrote ${config}, and the key of principal "admin" to ${key_file} (only you can read it)\n`);
  process.stdout.write(`next: svc serve --config ${config} --runs-db runs-db\n`);
}

/** @throws {Refusal} where one of the files is there already */
export async function writeStarter(config: string): Promise<{ config: string; key_file: string }> {
  const key_file = join(dirname(resolve(config)), 'svc.key');
  for (const file of [config, key_file]) {
    if (existsSync(file)) throw new Refusal(`${file} is there already and is not overwritten: move it away or use --config`);
  }
  const { key, key_hash } = newKey();
  await writeFile(key_file, `${key}\n`, { mode: 0o600, flag: 'wx' });
  await writeFile(config, starterConfiguration(key_hash), { flag: 'wx' });
  return { config, key_file };
}
