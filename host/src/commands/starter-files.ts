import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { schemaOfConfiguration } from '../compose/configuration.ts';
import { starterConfiguration } from '../config/starter-configuration.ts';
import { CliError } from '../errors/cli-error.ts';
import { exposure } from '../key-storage/private-file.ts';
import { readIfThere } from '../key-storage/secret-file.ts';
import { hashOfKey, newKey } from '../keys/new-key.ts';

/** The files that `svc init` and the first `npm start` write. */
export interface StarterFiles {
  readonly config: string;
  /** Key of the principal `admin`: every role. */
  readonly key_file: string;
  /** Key of the principal `approver`, who decides on requests of `admin`. */
  readonly approver_key_file: string;
  /** JSON Schema of the configuration for editors. */
  readonly schema_file: string;
}

export function starterFilesOf(config: string): StarterFiles {
  const folder = dirname(resolve(config));
  return {
    config,
    key_file: join(folder, 'svc.key'),
    approver_key_file: join(folder, 'approver.key'),
    schema_file: join(folder, `${basename(config, extname(config))}.schema.json`),
  };
}

/**
 * Writes a starter configuration and its schema. Uses existing keys beside it.
 * @throws {CliError} if other users can access a key file
 */
export async function writeMissing({ config, key_file, approver_key_file, schema_file }: StarterFiles): Promise<void> {
  // First, because it fails if the plugins cannot be found: then no key is left behind.
  const { schema } = await schemaOfConfiguration(config);
  await mkdir(dirname(key_file), { recursive: true });
  const key_hash = hashOfKey(await existingOrNew(key_file));
  const approver_key_hash = hashOfKey(await existingOrNew(approver_key_file));
  await writeFile(schema_file, `${JSON.stringify(schema, null, 2)}\n`);
  await writeFile(config, starterConfiguration({ key_hash, approver_key_hash }, basename(schema_file)), { flag: 'wx' });
}

/** Null if the file does not exist. @throws {CliError} if other users may read or write it */
export async function readKey(key_file: string): Promise<string | null> {
  const wrong = await exposure(key_file);
  if (wrong !== null) throw new CliError(wrong);
  return (await readIfThere(key_file))?.trim() ?? null;
}

async function existingOrNew(key_file: string): Promise<string> {
  if (!existsSync(key_file)) await writeFile(key_file, `${newKey().key}\n`, { mode: 0o600, flag: 'wx' });
  return (await readKey(key_file)) ?? '';
}
