import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '@svc/contracts';
import { GatewayProcess } from './gateway-process.ts';

export { MAIN } from './gateway-process.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'packages');

/** A configuration as an object, because JSON is valid YAML. A key is added for every principal. */
export interface GatewayConfig extends JsonObject {
  providers: JsonObject;
  routes: JsonObject;
}

export interface StartOptions {
  config: GatewayConfig;
  /** Principals that get a key. Other fields are part of the key's entry. */
  principals?: readonly {
    principal_id: string;
    routes?: string[];
    roles?: string[];
    team?: string;
    rag?: { namespaces: string[] };
  }[];
  args?: readonly string[];
  env?: Record<string, string>;
  /** Folder names in test/fixtures/packages, to install next to the configuration. */
  packages?: readonly string[];
  /** Contents by name of files in its folder, which only their owner may read. */
  files?: Readonly<Record<string, string>>;
  /** Whether it runs in the test process, which saves nine tenths of the startup work. It then cannot be killed, and shares the test's event loop. */
  here?: boolean;
}

/** A gateway that is listening. */
export interface RunningGateway {
  readonly url: string;
  /** Ends the gateway by this signal: in order, or at once. Resolves to its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Ends the gateway even if it hangs. */
  dispose(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

/** For tests that write their own file. */
const NONE: GatewayConfig = { providers: {}, routes: {} };
const DEFAULT_PRINCIPALS = [{ principal_id: 'alice' }, { principal_id: 'bob' }, { principal_id: 'carol' }];

/** A gateway with its configuration and runs in its own folder. It runs in a separate process, as an operator starts it, unless it is `here`. */
export class TestGateway {
  readonly folder: string;
  readonly keys: ReadonlyMap<string, string>;
  readonly #args: readonly string[];
  readonly #env: Record<string, string>;
  /** Whether the next launch is in the test process or in a separate one. */
  here: boolean;
  #running: RunningGateway | undefined;
  #output = '';
  readonly #written = new EventEmitter();
  url = '';

  private constructor(folder: string, keys: ReadonlyMap<string, string>, options: StartOptions) {
    this.folder = folder;
    this.keys = keys;
    this.#args = options.args ?? ['--runs-db', join(folder, 'runs-db')];
    this.#env = options.env ?? {};
    this.here = options.here ?? false;
  }

  static async start(options: StartOptions): Promise<TestGateway> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    const principals = options.principals ?? DEFAULT_PRINCIPALS;
    const keys = new Map(principals.map(({ principal_id }) => [principal_id, `svc-${randomBytes(32).toString('hex')}`]));
    const gateway = new TestGateway(folder, keys, options);
    const entries = principals.map((principal) => ({ ...principal, key_hash: hashOf(gateway.key(principal.principal_id)) }));
    await installPackages(folder, options.packages ?? []);
    await gateway.put(options.files ?? {});
    await gateway.configure({ ...options.config, auth: { ...(options.config.auth as JsonObject | undefined), keys: entries } });
    await gateway.launch();
    return gateway;
  }

  /** Starts one with a configuration file's text. Its keys are in the environment or known to the caller. */
  static async startFile(
    text: string,
    keys: ReadonlyMap<string, string>,
    options: Pick<StartOptions, 'args' | 'env' | 'here'> = {},
  ): Promise<TestGateway> {
    const gateway = new TestGateway(await mkdtemp(join(tmpdir(), 'svc-test-')), keys, { config: NONE, ...options });
    await writeFile(join(gateway.folder, 'svc.yaml'), text);
    await gateway.launch();
    return gateway;
  }

  get pid(): number {
    return this.#process().pid;
  }

  #process(): GatewayProcess {
    if (this.#running instanceof GatewayProcess) return this.#running;
    throw new Error('the gateway has no process of its own');
  }

  /** Everything it wrote to stdout and stderr. */
  get output(): string {
    return this.#output;
  }

  #write(text: string): void {
    this.#output += text;
    this.#written.emit('more');
  }

  /** Resolves to the result of `found` once the output contains it. */
  async until<T>(found: (output: string) => T | undefined): Promise<T> {
    for (;;) {
      const value = found(this.#output);
      if (value !== undefined) return value;
      await once(this.#written, 'more');
    }
  }

  /** Resolves once its log has an event with this name. */
  async logged(event: string): Promise<void> {
    await this.until((output) => (output.includes(`"event":"${event}"`) ? true : undefined));
  }

  key(principal: string): string {
    const key = this.keys.get(principal);
    if (key === undefined) throw new Error(`no key for ${principal}`);
    return key;
  }

  /** Writes files into its folder that only their owner may read. */
  async put(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) await writeFile(join(this.folder, name), content, { mode: 0o600 });
  }

  /** Rewrites the configuration file for the next start. By default it stops without a drain delay. */
  async configure(config: JsonObject): Promise<void> {
    const server = { drain_delay: '0s', drain_timeout: '5s', ...(config.server as JsonObject | undefined) };
    await writeFile(join(this.folder, 'svc.yaml'), JSON.stringify({ ...config, server }, null, 2));
  }

  /** @param args default: those of the first start */
  async launch(args: readonly string[] = this.#args): Promise<void> {
    const write = (text: string): void => this.#write(text);
    const all = ['--config', join(this.folder, 'svc.yaml'), '--port', '0', ...args];
    if (this.here) {
      // Loaded only by tests that need the host in their process.
      const { GatewayHere } = await import('./gateway-here.ts');
      this.#running = await GatewayHere.start(all, this.#env, write);
    } else {
      const child = GatewayProcess.spawn(all, this.#env, write);
      this.#running = child;
      await child.listening;
    }
    this.url = this.#running.url;
  }

  /** Ends the gateway by this signal: in order, or at once. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    return (await this.#running?.stop(signal)) ?? null;
  }

  /** Resolves when it and all workers that it started have ended, so that nothing holds its output. */
  async allEnded(): Promise<void> {
    await this.#process().allEnded();
  }

  async dispose(): Promise<void> {
    await this.#running?.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }

  async request(
    method: string,
    path: string,
    options: { principal?: string | null; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const { principal = 'alice', body, headers = {} } = options;
    const sent: Record<string, string> = { ...headers };
    if (principal !== null) sent.authorization = `Bearer ${this.key(principal)}`;
    if (body !== undefined) sent['content-type'] ??= 'application/json';
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: sent,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  get(path: string, principal: string | null = 'alice'): Promise<Answer> {
    return this.request('GET', path, { principal });
  }

  post(path: string, body: unknown, principal: string | null = 'alice'): Promise<Answer> {
    return this.request('POST', path, { principal, body });
  }

  /** Sends a chat with one user message. */
  chat(content: unknown, options: { model?: string; principal?: string } & JsonObject = {}): Promise<Answer> {
    const { principal = 'alice', model = 'default', ...more } = options;
    return this.post('/v1/chat/completions', { model, messages: [{ role: 'user', content }], ...more }, principal);
  }

  async ledger(principal = 'alice'): Promise<JsonObject[]> {
    return (await this.get('/v1/audit/ledger?limit=10000', principal)).body.records;
  }
}

/** Installs packages like an operator: as dependencies in the package.json next to the configuration. */
export async function installPackages(folder: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const dependencies = Object.fromEntries(names.map((name) => [`@fixture/${name}`, '1.0.0']));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  for (const name of names) {
    await cp(join(FIXTURES, name), join(folder, 'node_modules', '@fixture', name), { recursive: true });
  }
}

function hashOf(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

export function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A configuration with the echo provider, and guards that react to certain words. */
export function echoConfig(
  changes: { routes?: JsonObject; packs?: JsonObject; providers?: JsonObject; approvals?: JsonObject } & JsonObject = {},
): GatewayConfig {
  const { routes, packs, providers, approvals, ...rest } = changes;
  return {
    providers: { local: { type: 'echo', region: 'eu' }, ...providers },
    packs: {
      mask: { type: 'rules', rules: [{ name: 'account', match: 'ACC-\\d+', verdict: 'sanitize', replacement: '<ACCOUNT>' }] },
      policy: {
        type: 'rules',
        rules: [
          { name: 'wire', words: ['wire transfer'], verdict: 'require_approval' },
          { name: 'forbidden', words: ['forbidden'], verdict: 'block' },
        ],
      },
      ...packs,
    },
    routes: {
      default: {
        provider: 'local',
        model: 'echo-1',
        owner: 'risk-team',
        risk_rating: 'high',
        review_interval_days: 90,
        pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] },
      },
      ...routes,
    },
    // Tests repeat the same text but mean separate requests.
    approvals: { reuse_for: 0, ...approvals },
    ...rest,
  };
}
