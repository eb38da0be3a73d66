import { existsSync } from 'node:fs';
import { CliError } from '../errors/cli-error.ts';
import { CONFIG_OPTION, readArguments } from './arguments.ts';
import { starterFilesOf, writeMissing } from './starter-files.ts';

/** `svc init [--config F] [--json]`: writes a commented configuration, its schema and two new keys. Overwrites no existing file. */
export async function init(args: string[]): Promise<void> {
  const { values } = readArguments(args, {
    config: CONFIG_OPTION,
    json: { type: 'boolean', default: false },
  });
  const files = starterFilesOf(values.config);
  for (const file of Object.values(files)) {
    if (existsSync(file)) throw new CliError(`${file} already exists: move it, or choose another file with --config`);
  }
  await writeMissing(files);
  if (values.json) {
    process.stdout.write(`${JSON.stringify(files, null, 2)}\n`);
    return;
  }
  const { config, key_file, approver_key_file, schema_file } = files;
  process.stdout.write(`wrote ${config} and two API keys that only you can read:\n`);
  process.stdout.write(`  ${key_file}: principal "admin", which calls models\n`);
  process.stdout.write(`  ${approver_key_file}: principal "approver", which approves or denies paused requests\n`);
  process.stdout.write(`wrote ${schema_file}, which editors use to check and complete the configuration\n`);
  process.stdout.write(`next: npx svc serve --config ${config} --runs-db runs-db\n`);
}
