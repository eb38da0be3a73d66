import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TargetName } from './options.ts';
import { installPortkey } from './portkey.ts';
import { freePort, type Processes, type Started } from './processes.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'host', 'dist', 'main.js');

/** Something that stands between the load and the upstream. */
export interface Target {
  readonly name: TargetName;
  readonly port: number;
  readonly pid: number;
  /** Head fields that it needs. */
  readonly headers: Readonly<Record<string, string>>;
  /** The name by which the upstream's model is asked for here. */
  readonly model: (upstreamModel: string) => string;
}

/** Upstream models that the bench asks for; the gateway has two routes for each, with and without guards. */
export type UpstreamModel = 'whole' | `stream-${number}-${number}`;

interface Scene {
  readonly processes: Processes;
  readonly folder: string;
  readonly upstream: number;
  readonly models: readonly UpstreamModel[];
}

export async function startTargets(names: readonly TargetName[], scene: Scene): Promise<Target[]> {
  const targets: Target[] = [];
  if (names.includes('bare')) targets.push(await bare(scene));
  if (names.includes('gateway') || names.includes('guarded')) {
    targets.push(...(await gateway(scene)).filter(({ name }) => names.includes(name)));
  }
  if (names.includes('portkey')) targets.push(await portkey(scene));
  return targets;
}

async function bare({ processes, upstream }: Scene): Promise<Target> {
  const port = await freePort();
  const args = [join(import.meta.dirname, 'pass-through.ts'), String(port), String(upstream)];
  const { pid } = await processes.serve('measured', 'bare', port, args);
  return { name: 'bare', port, pid, headers: { authorization: 'Bearer key' }, model: (model) => model };
}

async function portkey({ processes, folder, upstream }: Scene): Promise<Target> {
  const port = await freePort();
  const main = await installPortkey(join(folder, 'portkey'));
  const { pid } = await processes.serve('measured', 'portkey', port, [main, '--headless', `--port=${port}`]);
  const headers = {
    authorization: 'Bearer key',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstream}/v1`,
  };
  return { name: 'portkey', port, pid, headers, model: (model) => model };
}

/** One gateway, as an operator starts it: authentication on, runs on disk. `guarded` are its routes with a guard in both stages. */
async function gateway(scene: Scene): Promise<Target[]> {
  const { port, pid, key } = await startGateway(scene);
  const headers = { authorization: `Bearer ${key}` };
  return [
    { name: 'gateway', port, pid, headers, model: (model) => model },
    { name: 'guarded', port, pid, headers, model: (model) => `${model}-guarded` },
  ];
}

interface RunningGateway extends Started {
  readonly port: number;
  readonly key: string;
}

async function startGateway({ processes, folder, upstream, models }: Scene): Promise<RunningGateway> {
  const port = await freePort();
  const home = join(folder, `gateway-${port}`);
  mkdirSync(home);
  const key = `svc-${randomBytes(32).toString('hex')}`;
  const config = join(home, 'svc.yaml');
  writeFileSync(config, JSON.stringify(configuration(key, upstream, models), null, 2));
  const args = [MAIN, 'serve', '--config', config, '--port', String(port), '--runs-db', join(home, 'runs-db')];
  const started = await processes.serve('measured', `gateway-${port}`, port, args, true);
  return { ...started, port, key };
}

/** JSON is YAML. None of the rules finds anything in the bench's texts: what is measured is the looking. */
function configuration(key: string, upstream: number, models: readonly UpstreamModel[]): object {
  const guards = { ingress: ['questions'], egress: ['answers'] };
  const rules = [
    { name: 'account', match: '\\b\\d{4}-\\d{4}\\b', verdict: 'sanitize', replacement: '<ACCOUNT>' },
    { name: 'phoenix', match: '(?i)project\\s{1,8}phoenix', verdict: 'block' },
    { name: 'too-long', max_characters: 20_000, verdict: 'block' },
  ];
  const words = ['wire transfer', 'SWIFT'];
  const route = (model: string) => ({ provider: 'upstream', model });
  return {
    auth: { keys: [{ principal_id: 'bench', key_hash: `sha256:${createHash('sha256').update(key).digest('hex')}` }] },
    providers: { upstream: { type: 'openai', base_url: `http://127.0.0.1:${upstream}/v1`, connections: 2048 } },
    packs: {
      questions: { type: 'rules', rules: [...rules, { name: 'wire', words, verdict: 'require_approval' }] },
      // A node that may pause would have streams buffered.
      answers: { type: 'rules', rules: [...rules, { name: 'wire', words, verdict: 'block' }] },
    },
    routes: Object.fromEntries(
      models.flatMap((model) => [
        [model, { ...route(model), pipeline: { ingress: [], egress: [] } }],
        [`${model}-guarded`, { ...route(model), pipeline: guards }],
      ]),
    ),
  };
}
