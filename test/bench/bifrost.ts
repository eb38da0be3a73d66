import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './processes.ts';
import type { Scene, Target } from './target.ts';

/** Used only if installed, because its npm package downloads the program from another site. */
export const BIFROST = 'bifrost-http';

/** @throws {Error} if it is not installed */
export function findBifrost(): string {
  const { error } = spawnSync(BIFROST, ['-version'], { stdio: 'ignore' });
  if (error !== undefined) throw new Error(`no ${BIFROST} on the PATH`);
  return BIFROST;
}

/** Starts it from a configuration file, without its database and request log. */
export async function startBifrost({ processes, folder, upstream, peers: { bifrost: program = '' } }: Scene): Promise<Target> {
  const port = await freePort();
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
  const args = ['-app-dir', home, '-host', '127.0.0.1', '-port', String(port), '-log-level', 'error'];
  const { pid } = await processes.serve('measured', 'bifrost', port, args, { program });
  return {
    name: 'bifrost',
    protocols: ['chat'],
    instances: [{ port, pid }],
    headers: () => ({}),
    model: (model) => `openai/${model}`,
    records: null,
  };
}
