import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresServer } from '../harness/postgres-server.ts';
import { bifrostArgs } from './bifrost.ts';
import { LITELLM_ENV, LITELLM_HEADERS, litellmArgs } from './litellm.ts';
import type { TargetName } from './options.ts';
import type { Peers } from './peers.ts';
import { installPortkey } from './portkey.ts';
import { freePort, type Processes, type Started } from './processes.ts';

export const MAIN = join(import.meta.dirname, '..', '..', 'host', 'dist', 'main.js');

interface Instance {
  readonly port: number;
  readonly pid: number;
}

/** Something that stands between the load and the upstream. */
export interface Target {
  readonly name: TargetName;
  /** More than one: replicas that share the load. */
  readonly instances: readonly [Instance, ...Instance[]];
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
  readonly peers: Peers['programs'];
  /** Of Node, for gateways. */
  readonly flags?: readonly string[];
}

export async function startTargets(names: readonly TargetName[], scene: Scene): Promise<Target[]> {
  const targets: Target[] = [];
  if (names.includes('bare')) targets.push(await bare(scene));
  if (names.includes('gateway') || names.includes('guarded') || names.includes('masked')) {
    targets.push(...(await gateway(scene)).filter(({ name }) => names.includes(name)));
  }
  if (names.includes('gateway-2') || names.includes('guarded-2')) {
    targets.push(...(await twoWorkers(scene)).filter(({ name }) => names.includes(name)));
  }
  if (names.includes('unrecorded')) targets.push(await unrecorded(scene));
  if (names.some((name) => name === 'postgres' || name === 'postgres-2' || name === 'workers-2')) {
    targets.push(...(await overPostgres(names, scene)));
  }
  if (names.includes('portkey')) targets.push(await portkey(scene));
  if (names.includes('litellm')) targets.push(await litellm(scene));
  if (names.includes('bifrost')) targets.push(await bifrost(scene));
  return targets;
}

async function bare({ processes, upstream }: Scene): Promise<Target> {
  const port = await freePort();
  const args = [join(import.meta.dirname, 'pass-through.ts'), String(port), String(upstream)];
  const { pid } = await processes.serve('measured', 'bare', port, args);
  return { name: 'bare', instances: [{ port, pid }], headers: { authorization: 'Bearer key' }, model: (model) => model };
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
  return { name: 'portkey', instances: [{ port, pid }], headers, model: (model) => model };
}

async function litellm({ processes, folder, upstream, models, peers: { litellm: program = '' } }: Scene): Promise<Target> {
  const port = await freePort();
  const args = litellmArgs(folder, port, upstream, models);
  const { pid } = await processes.serve('measured', 'litellm', port, args, { program, env: LITELLM_ENV });
  return { name: 'litellm', instances: [{ port, pid }], headers: LITELLM_HEADERS, model: (model) => model };
}

async function bifrost({ processes, folder, upstream, peers: { bifrost: program = '' } }: Scene): Promise<Target> {
  const port = await freePort();
  const { pid } = await processes.serve('measured', 'bifrost', port, bifrostArgs(folder, port, upstream), { program });
  return { name: 'bifrost', instances: [{ port, pid }], headers: {}, model: (model) => `openai/${model}` };
}

/** One gateway, as an operator starts it: authentication on, runs on disk. `guarded` are its routes with a guard in both stages, `masked` those that
 * mask secrets and personal data of answers too. */
async function gateway(scene: Scene): Promise<Target[]> {
  const { port, pid, headers } = await startGateway(scene);
  const instances = [{ port, pid }] as const;
  return [
    { name: 'gateway', instances, headers, model: (model) => model },
    { name: 'guarded', instances, headers, model: (model) => `${model}-guarded` },
    { name: 'masked', instances, headers, model: (model) => `${model}-masked` },
  ];
}

/** The same with two workers. */
async function twoWorkers(scene: Scene): Promise<Target[]> {
  const { port, pid, headers } = await startGateway(scene, { ...ALONE, key: newKey(), workers: 2 });
  const instances = [{ port, pid }] as const;
  return [
    { name: 'gateway-2', instances, headers, model: (model) => model },
    { name: 'guarded-2', instances, headers, model: (model) => `${model}-guarded` },
  ];
}

/** The same gateway with `runs.record_start` off: a run is written once, when it ends. */
async function unrecorded(scene: Scene): Promise<Target> {
  const { port, pid, headers } = await startGateway(scene, { ...ALONE, key: newKey(), record_start: false });
  return { name: 'unrecorded', instances: [{ port, pid }], headers, model: (model) => model };
}

/** Gateways over a PostgreSQL server of their own, each kind over a database of its own. */
async function overPostgres(names: readonly TargetName[], scene: Scene): Promise<Target[]> {
  const server = await PostgresServer.start();
  scene.processes.onEnd(() => server.stop());
  const targets: Target[] = [];
  const key = newKey();
  const same = { headers: headersOf(key), model: (model: string) => model };
  const start = async (database: string, workers = 1) =>
    startGateway(scene, { ...ALONE, key, runs_db: await server.database(database), workers });
  if (names.includes('postgres')) targets.push({ name: 'postgres', instances: [await start('one')], ...same });
  if (names.includes('postgres-2'))
    targets.push({ name: 'postgres-2', instances: [await start('two'), await start('two')], ...same });
  if (names.includes('workers-2')) targets.push({ name: 'workers-2', instances: [await start('workers', 2)], ...same });
  return targets;
}

interface RunningGateway extends Started, Instance {
  readonly headers: Readonly<Record<string, string>>;
}

interface Kind {
  readonly key: string;
  /** Null: a folder of its own. */
  readonly runs_db: string | null;
  readonly workers: number;
  readonly record_start: boolean;
}

function newKey(): string {
  return `svc-${randomBytes(32).toString('hex')}`;
}

function headersOf(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

const LEDGER_KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });

const ALONE: Omit<Kind, 'key'> = { runs_db: null, workers: 1, record_start: true };

async function startGateway(
  { processes, folder, upstream, models, flags = [] }: Scene,
  { key, runs_db, workers, record_start }: Kind = { ...ALONE, key: newKey() },
): Promise<RunningGateway> {
  const port = await freePort();
  const home = join(folder, `gateway-${port}`);
  mkdirSync(home);
  const config = join(home, 'svc.yaml');
  const settings = { ...configuration(key, upstream, models), server: { workers }, runs: { record_start } };
  writeFileSync(config, JSON.stringify(settings, null, 2));
  // Those that share a ledger sign it with one key.
  if (runs_db !== null) writeFileSync(join(home, 'ledger.key'), LEDGER_KEY, { mode: 0o600 });
  const serve = ['serve', '--config', config, '--port', String(port), '--runs-db', runs_db ?? join(home, 'runs-db')];
  const args = [...flags, MAIN, ...serve];
  const started = await processes.serve('measured', `gateway-${port}`, port, args, { alone: true });
  return { ...started, port, headers: headersOf(key) };
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
      secrets: { type: 'secrets' },
      pii: { type: 'pii' },
    },
    routes: Object.fromEntries(
      models.flatMap((model) => [
        [model, { ...route(model), pipeline: { ingress: [], egress: [] } }],
        [`${model}-guarded`, { ...route(model), pipeline: guards }],
        [`${model}-masked`, { ...route(model), pipeline: { ingress: [], egress: ['answers', 'secrets', 'pii'] } }],
      ]),
    ),
  };
}
