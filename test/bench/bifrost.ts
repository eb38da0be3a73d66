import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Used where it is installed: its npm package downloads the program from elsewhere. */
export const BIFROST = 'bifrost-http';

/** @throws {Error} where it is not installed */
export function findBifrost(): string {
  const { error } = spawnSync(BIFROST, ['-version'], { stdio: 'ignore' });
  if (error !== undefined) throw new Error(`no ${BIFROST} on the PATH`);
  return BIFROST;
}

/** From its own file, without its database and its log of requests. @returns its arguments */
export function bifrostArgs(folder: string, port: number, upstream: number): string[] {
  const home = join(folder, `bifrost-${port}`);
  mkdirSync(home);
  const config = {
    client: { enable_logging: false },
    config_store: { enabled: false },
    logs_store: { enabled: false },
    providers: {
      openai: {
        keys: [{ name: 'bench', value: 'key', models: ['*'], weight: 1 }],
        network_config: { base_url: `http://127.0.0.1:${upstream}` },
      },
    },
  };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  return ['-app-dir', home, '-host', '127.0.0.1', '-port', String(port), '-log-level', 'error'];
}
