import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pythonPackages } from '../harness/python-packages.ts';
import { callIn } from './calls.ts';
import { freePort } from './processes.ts';
import { PROTOCOLS } from './protocols.ts';
import type { Scene, Target } from './target.ts';

export const LITELLM = 'litellm 1.106.2';
const KEY = 'sk-bench';
const MESSAGES = '-messages';

/** Installs LiteLLM's proxy once, and returns the path of its program. */
export async function installLitellm(): Promise<string> {
  const [name, version] = LITELLM.split(' ');
  return join(await pythonPackages(`${name}-${version}`, [[`${name}[proxy]==${version}`]]), 'litellm');
}

/** Without a database, so it records nothing. */
export async function startLitellm(scene: Scene): Promise<Target> {
  return (await serve(scene, 'litellm', {}, {})).target;
}

const PATTERNS = ['email', 'us_phone', 'us_ssn', 'credit_card', 'iban', 'aws_access_key', 'github_token', 'generic_api_key'];

/**
 * With LiteLLM's own filter in both stages, and its request log, which it sends over HTTP to this process. Its database needs Prisma's engines,
 * which its packages download from another site.
 */
export async function startGuardedLitellm(scene: Scene): Promise<Target> {
  const logged = new Set<number>();
  const log = createServer(async (request, response) => {
    const entries = JSON.parse(await text(request)) as object[];
    for (const call of entries.map((entry) => callIn(JSON.stringify(entry)))) if (call !== null) logged.add(call);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(log, 'listening');
  const { port } = log.address() as AddressInfo;
  scene.processes.onEnd(async () => void log.close());
  const filter = {
    guardrail: 'litellm_content_filter',
    mode: ['pre_call', 'post_call'],
    default_on: true,
    patterns: [
      ...PATTERNS.map((pattern_name) => ({ pattern_type: 'prebuilt', pattern_name, action: 'MASK' })),
      { pattern_type: 'regex', name: 'account', pattern: '\\b\\d{4}-\\d{4}\\b', action: 'MASK' },
    ],
    blocked_words: ['project phoenix', 'wire transfer', 'SWIFT'].map((keyword) => ({ keyword, action: 'BLOCK' })),
  };
  const settings = {
    guardrails: [{ guardrail_name: 'filter', litellm_params: filter }],
    litellm_settings: { callbacks: ['generic_api'] },
  };
  const { target, start } = await serve(scene, 'litellm-guarded', settings, {
    GENERIC_LOGGER_ENDPOINT: `http://127.0.0.1:${port}/`,
  });
  return { ...target, records: { restart: start, read: async () => (call) => logged.has(call) } };
}

/** Starts one process that checks its key. */
async function serve(
  { processes, folder, upstream, models, peers }: Scene,
  name: 'litellm' | 'litellm-guarded',
  more: object,
  env: Readonly<Record<string, string>>,
): Promise<{ target: Target; start: () => Promise<number> }> {
  const { [name]: program = '' } = peers;
  const port = await freePort();
  const config = join(folder, `${name}.yaml`);
  const origin = `http://127.0.0.1:${upstream}`;
  const model_list = models.flatMap((model) => [
    { model_name: model, litellm_params: { model: `openai/${model}`, api_base: `${origin}/v1`, api_key: 'key' } },
    { model_name: model + MESSAGES, litellm_params: { model: `anthropic/${model}`, api_base: origin, api_key: 'key' } },
  ]);
  // JSON is valid YAML.
  writeFileSync(config, JSON.stringify({ model_list, general_settings: { master_key: KEY }, ...more }));
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'];
  const start = async () => (await processes.serve('measured', name, port, args, { program, env: { ...QUIET, ...env } })).pid;
  const target: Target = {
    name,
    protocols: PROTOCOLS,
    instances: [{ port, pid: await start() }],
    headers: () => ({ authorization: `Bearer ${KEY}` }),
    model: (model, protocol) => (protocol === 'messages' ? model + MESSAGES : model),
    records: null,
  };
  return { target, start };
}

/** Prevents network access at startup and a log line for each request. */
export const QUIET = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MODE: 'PRODUCTION', LITELLM_LOG: 'ERROR' };
