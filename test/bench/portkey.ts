import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A fixed version, so that figures of two days can be compared. */
export const PORTKEY = '@portkey-ai/gateway@1.15.2';

/** Installs Portkey into a folder of its own and gives the file that starts it. It needs none of its packages' scripts. */
export async function installPortkey(folder: string): Promise<string> {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', PORTKEY];
  await promisify(execFile)('npm', args, { cwd: folder });
  return join(folder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js');
}
