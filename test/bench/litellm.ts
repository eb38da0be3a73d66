import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonPackages } from '../harness/python-packages.ts';

export const LITELLM = 'litellm 1.106.2';
const KEY = 'sk-bench';
export const LITELLM_HEADERS = { authorization: `Bearer ${KEY}` };

/** Installs LiteLLM's proxy once, and gives the program. */
export async function installLitellm(): Promise<string> {
  const [name, version] = LITELLM.split(' ');
  return join(await pythonPackages(`${name}-${version}`, [[`${name}[proxy]==${version}`]]), 'litellm');
}

/** One process, its key checked, no database: so it writes nothing down. @returns its arguments */
export function litellmArgs(folder: string, port: number, upstream: number, models: readonly string[]): string[] {
  const config = join(folder, 'litellm.yaml');
  const params = (model: string) => ({ model: `openai/${model}`, api_base: `http://127.0.0.1:${upstream}/v1`, api_key: 'key' });
  // JSON is YAML.
  const settings = {
    model_list: models.map((model) => ({ model_name: model, litellm_params: params(model) })),
    general_settings: { master_key: KEY },
  };
  writeFileSync(config, JSON.stringify(settings));
  return ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'];
}

/** No look at the network at its start, and no log of each request at the terminal. */
export const LITELLM_ENV = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MODE: 'PRODUCTION', LITELLM_LOG: 'ERROR' };
