import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Fixed versions, so that figures of two days can be compared. */
export const PORTKEY = '@portkey-ai/gateway@1.15.2';
const VERSION = PORTKEY.slice(PORTKEY.lastIndexOf('@') + 1);
/** With a newer @hono/node-server, which npm would take, this Portkey answers every stream with 500. */
const MANIFEST = { dependencies: { '@portkey-ai/gateway': VERSION }, overrides: { '@hono/node-server': '1.14.1' } };

/** Installs Portkey into a folder of its own, once, and gives the file that starts it. It needs none of its packages' scripts. */
export async function installPortkey(folder: string): Promise<string> {
  const main = join(folder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js');
  if (existsSync(main)) return main;
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(MANIFEST));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', args, { cwd: folder });
  return main;
}
