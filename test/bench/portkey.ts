import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TargetName } from './options.ts';
import { freePort } from './processes.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import type { Scene, Target } from './target.ts';

/** Pinned, so that figures of different days are comparable. */
export const PORTKEY = '@portkey-ai/gateway@1.15.2';
const VERSION = PORTKEY.slice(PORTKEY.lastIndexOf('@') + 1);
/** With the newer @hono/node-server that npm would install, this Portkey answers every stream with 500. */
const MANIFEST = { dependencies: { '@portkey-ai/gateway': VERSION }, overrides: { '@hono/node-server': '1.14.1' } };

/** Installs Portkey into its own folder once, and returns the file that starts it. It needs no install scripts. */
async function installPortkey(folder: string): Promise<string> {
  const main = join(folder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js');
  if (existsSync(main)) return main;
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(MANIFEST));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', args, { cwd: folder });
  return main;
}

export function startPortkey(scene: Scene): Promise<Target> {
  return serve(scene, 'portkey', {});
}

/** With Portkey's own pattern guard in both stages, requested by the callers. It does not check streams. No rule matches the bench's texts. */
export function startGuardedPortkey(scene: Scene): Promise<Target> {
  const rules = ['\\b\\d{4}-\\d{4}\\b', 'project\\s{1,8}phoenix', 'wire transfer|SWIFT'];
  const guards = rules.map((rule) => ({ 'default.regexMatch': { rule, not: true }, deny: true }));
  const config = JSON.stringify({ input_guardrails: guards, output_guardrails: guards });
  return serve(scene, 'portkey-guarded', { 'x-portkey-config': config });
}

async function serve(
  { processes, folder, upstream }: Scene,
  name: TargetName,
  guards: Readonly<Record<string, string>>,
): Promise<Target> {
  const port = await freePort();
  const main = await installPortkey(join(folder, 'portkey'));
  const { pid } = await processes.serve('measured', name, port, [main, '--headless', `--port=${port}`]);
  const headers = (protocol: Protocol) => ({
    authorization: 'Bearer key',
    'x-portkey-provider': protocol === 'messages' ? 'anthropic' : 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstream}/v1`,
    ...guards,
  });
  return { name, protocols: PROTOCOLS, instances: [{ port, pid }], headers, model: (model) => model, records: null };
}
