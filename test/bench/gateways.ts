import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresServer } from '../harness/postgres-server.ts';
import type { TargetName } from './options.ts';
import { freePort } from './processes.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import type { Instance, Scene, Target, UpstreamModel } from './target.ts';

export const MAIN = join(import.meta.dirname, '..', '..', 'host', 'dist', 'main.js');

/** Pipelines of a gateway's routes. A route's name ends with the name of its pipeline. */
const PIPELINES = {
  '': { ingress: [], egress: [] },
  '-guarded': { ingress: ['questions'], egress: ['answers'] },
  '-masked': { ingress: [], egress: ['answers', 'secrets', 'pii'] },
  '-governed': { ingress: ['questions', 'secrets', 'pii'], egress: ['answers', 'secrets', 'pii'] },
} as const;
type Pipeline = keyof typeof PIPELINES;

/**
 * A gateway as an operator starts it: with authentication, and runs on disk. Its routes have no guards, guards in both stages, or guards that mask
 * answers.
 */
export async function plainGateways(scene: Scene): Promise<Target[]> {
  const gateway = await startGateway(scene);
  return [targetOf('gateway', [gateway]), targetOf('guarded', [gateway], '-guarded'), targetOf('masked', [gateway], '-masked')];
}

export async function gatewayOfWorkers(scene: Scene): Promise<Target[]> {
  const gateway = await startGateway(scene, { ...ALONE, keys: new Keys(), workers: 2 });
  return [targetOf('gateway-2', [gateway]), targetOf('guarded-2', [gateway], '-guarded')];
}

/** The same gateway with `runs.record_start` off: a run is written only when it ends. */
export async function unrecordedGateway(scene: Scene): Promise<Target> {
  return targetOf('unrecorded', [await startGateway(scene, { ...ALONE, keys: new Keys(), record_start: false })]);
}

/** A gateway with all guards that need no other service, in both stages. Each caller is a principal, by which the audit identifies the calls. */
export async function governedGateway(scene: Scene): Promise<Target> {
  const gateway = await startGateway(scene, { ...ALONE, keys: new Keys(scene.callers) });
  const restart = async () => (await gateway.serve()).pid;
  const read = async () => {
    const recorded = await principalsOfRuns(gateway);
    return (call: number) => recorded.has(principalOf(call));
  };
  return { ...targetOf('governed', [gateway], '-governed'), records: { restart, read } };
}

/** Gateways with a separate PostgreSQL server, and a database for each kind. */
export async function gatewaysOverPostgres(names: readonly TargetName[], scene: Scene): Promise<Target[]> {
  const server = await PostgresServer.start();
  scene.processes.onEnd(() => server.stop());
  const targets: Target[] = [];
  const keys = new Keys();
  const start = async (database: string, workers = 1) =>
    startGateway(scene, { ...ALONE, keys, runs_db: await server.database(database), workers });
  if (names.includes('postgres')) targets.push(targetOf('postgres', [await start('one')]));
  if (names.includes('postgres-2')) targets.push(targetOf('postgres-2', [await start('two'), await start('two')]));
  if (names.includes('workers-2')) targets.push(targetOf('workers-2', [await start('workers', 2)]));
  return targets;
}

function targetOf(name: TargetName, gateways: readonly [RunningGateway, ...RunningGateway[]], pipeline: Pipeline = ''): Target {
  const [{ keys }] = gateways;
  return {
    name,
    protocols: PROTOCOLS,
    instances: gateways,
    headers: (_, caller) => ({ authorization: `Bearer ${keys.of(caller)}` }),
    model: (model, protocol) => routeOf(model, protocol, pipeline),
    records: null,
  };
}

interface RunningGateway extends Instance {
  readonly keys: Keys;
  readonly serve: () => Promise<{ pid: number }>;
}

interface Kind {
  readonly keys: Keys;
  /** Null: a new folder. */
  readonly runs_db: string | null;
  readonly workers: number;
  readonly record_start: boolean;
}

/** A key for each caller, or one for all if there is only one caller. */
class Keys {
  readonly #secret = randomBytes(32);
  readonly #callers: number;

  constructor(callers = 1) {
    this.#callers = callers;
  }

  of(caller: number): string {
    return `svc-${createHash('sha256')
      .update(this.#secret)
      .update(`${caller % this.#callers}`)
      .digest('hex')}`;
  }

  configuration(): object[] {
    const hash = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;
    const callers = Array.from({ length: this.#callers }, (_, caller) => caller);
    return callers.map((caller) => ({ principal_id: principalOf(caller), key_hash: hash(this.of(caller)) }));
  }
}

function principalOf(caller: number): string {
  return `bench-${caller}`;
}

/** The principals of all runs in the audit. */
async function principalsOfRuns({ port, keys }: RunningGateway): Promise<ReadonlySet<string>> {
  const principals = new Set<string>();
  const headers = { authorization: `Bearer ${keys.of(0)}` };
  for (let path = '/v1/audit?limit=10000'; path !== ''; ) {
    const answer = await fetch(new URL(path, `http://127.0.0.1:${port}`), { headers });
    if (!answer.ok) throw new Error(`${path}: status ${answer.status}`);
    const { runs } = (await answer.json()) as { runs: { principal_id: string }[] };
    for (const { principal_id } of runs) principals.add(principal_id);
    path = /<([^>]+)>; *rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
  }
  return principals;
}

const LEDGER_KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });

const ALONE: Omit<Kind, 'keys'> = { runs_db: null, workers: 1, record_start: true };

async function startGateway(
  { processes, folder, upstream, models, flags = [] }: Scene,
  { keys, runs_db, workers, record_start }: Kind = { ...ALONE, keys: new Keys() },
): Promise<RunningGateway> {
  const port = await freePort();
  const home = join(folder, `gateway-${port}`);
  mkdirSync(home);
  const config = join(home, 'svc.yaml');
  const settings = { ...configuration(keys, upstream, models), server: { workers }, runs: { record_start } };
  writeFileSync(config, JSON.stringify(settings, null, 2));
  // Gateways that share a ledger sign it with the same key.
  if (runs_db !== null) writeFileSync(join(home, 'ledger.key'), LEDGER_KEY, { mode: 0o600 });
  const options = ['--config', config, '--port', String(port), '--runs-db', runs_db ?? join(home, 'runs-db')];
  const args = [...flags, MAIN, 'serve', ...options];
  const serve = () => processes.serve('measured', `gateway-${port}`, port, args, { alone: true, says: '"event":"listening"' });
  return { pid: (await serve()).pid, port, keys, serve };
}

function routeOf(model: string, protocol: Protocol, pipeline: Pipeline): string {
  return `${model}${protocol === 'chat' ? '' : `-${protocol}`}${pipeline}`;
}

/** JSON is valid YAML. No rule matches the bench's texts, so this measures the scanning. */
function configuration(keys: Keys, upstream: number, models: readonly UpstreamModel[]): object {
  const rules = [
    { name: 'account', match: '\\b\\d{4}-\\d{4}\\b', verdict: 'sanitize', replacement: '<ACCOUNT>' },
    { name: 'phoenix', match: '(?i)project\\s{1,8}phoenix', verdict: 'block' },
    { name: 'too-long', max_characters: 20_000, verdict: 'block' },
  ];
  const words = ['wire transfer', 'SWIFT'];
  const openai = { type: 'openai', base_url: `http://127.0.0.1:${upstream}/v1` };
  const providers = {
    chat: openai,
    responses: { ...openai, api: 'responses' },
    messages: { type: 'anthropic', base_url: `http://127.0.0.1:${upstream}` },
  };
  const routes = models.flatMap((model) =>
    PROTOCOLS.filter((protocol) => protocol === 'chat' || model !== 'whole').flatMap((protocol) =>
      Object.entries(PIPELINES).map(([name, pipeline]) => [
        routeOf(model, protocol, name as Pipeline),
        { provider: protocol, model, pipeline },
      ]),
    ),
  );
  return {
    auth: { keys: keys.configuration() },
    providers,
    packs: {
      questions: { type: 'rules', rules: [...rules, { name: 'wire', words, verdict: 'require_approval' }] },
      // With a node that may pause, streams would be buffered.
      answers: { type: 'rules', rules: [...rules, { name: 'wire', words, verdict: 'block' }] },
      secrets: { type: 'secrets' },
      pii: { type: 'pii' },
    },
    routes: Object.fromEntries(routes),
  };
}
