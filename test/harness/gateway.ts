import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '@svc/contracts';
import { GatewayProcess } from './gateway-process.ts';

export { MAIN } from './gateway-process.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'packages');

/** Configuration as an object: JSON is YAML. Keys are added for every principal. */
export interface GatewayConfig extends JsonObject {
  providers: JsonObject;
  routes: JsonObject;
}

export interface StartOptions {
  config: GatewayConfig;
  /** Principals with a key; the rest binds it. */
  principals?: readonly {
    principal_id: string;
    routes?: string[];
    roles?: string[];
    team?: string;
    rag?: { namespaces: string[] };
  }[];
  args?: readonly string[];
  env?: Record<string, string>;
  /** Names of folders in test/fixtures/packages, installed beside the configuration. */
  packages?: readonly string[];
  /** In the process of the tests: a tenth of the work of a start. It cannot be killed, and shares its event loop with the test. */
  here?: boolean;
}

/** A gateway that listens. */
export interface RunningGateway {
  readonly url: string;
  /** Ends it in order, or at once. Resolves to its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Ends it whatever hangs. */
  dispose(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

/** For who brings a file. */
const NONE: GatewayConfig = { providers: {}, routes: {} };
const DEFAULT_PRINCIPALS = [{ principal_id: 'alice' }, { principal_id: 'bob' }, { principal_id: 'carol' }];

/** A gateway with its configuration and runs in a folder of its own; in a process of its own, as an operator starts it, unless it is `here`. */
export class TestGateway {
  readonly folder: string;
  readonly keys: ReadonlyMap<string, string>;
  readonly #args: readonly string[];
  readonly #env: Record<string, string>;
  /** Where the next launch puts it: in the process of the tests, or in one of its own. */
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
    await gateway.configure({ ...options.config, auth: { ...(options.config.auth as JsonObject | undefined), keys: entries } });
    await gateway.launch();
    return gateway;
  }

  /** One with a configuration as it stands in a file, with its keys in the environment or as the caller knows them. */
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

  /** Everything that it wrote to stdout and stderr. */
  get output(): string {
    return this.#output;
  }

  #write(text: string): void {
    this.#output += text;
    this.#written.emit('more');
  }

  /** What `found` finds in the output, as soon as it does. */
  async until<T>(found: (output: string) => T | undefined): Promise<T> {
    for (;;) {
      const value = found(this.#output);
      if (value !== undefined) return value;
      await once(this.#written, 'more');
    }
  }

  /** Resolves once an event of this name stands in its log. */
  async logged(event: string): Promise<void> {
    await this.until((output) => (output.includes(`"event":"${event}"`) ? true : undefined));
  }

  key(principal: string): string {
    const key = this.keys.get(principal);
    if (key === undefined) throw new Error(`no key for ${principal}`);
    return key;
  }

  /** Writes the configuration file anew, for the next start. It stops without a drain delay unless it has one. */
  async configure(config: JsonObject): Promise<void> {
    const server = { drain_delay: '0s', drain_timeout: '5s', ...(config.server as JsonObject | undefined) };
    await writeFile(join(this.folder, 'svc.yaml'), JSON.stringify({ ...config, server }, null, 2));
  }

  /** @param args those of the first start unless given */
  async launch(args: readonly string[] = this.#args): Promise<void> {
    const write = (text: string): void => this.#write(text);
    const all = ['--config', join(this.folder, 'svc.yaml'), '--port', '0', ...args];
    if (this.here) {
      // Whoever needs no host in the process of the tests does not load it.
      const { GatewayHere } = await import('./gateway-here.ts');
      this.#running = await GatewayHere.start(all, this.#env, write);
    } else {
      const child = GatewayProcess.spawn(all, this.#env, write);
      this.#running = child;
      await child.listening;
    }
    this.url = this.#running.url;
  }

  /** Ends it in order, or at once. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    return (await this.#running?.stop(signal)) ?? null;
  }

  /** Resolves once nothing holds its output any more: it has ended, and so have the workers that it started. */
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

  /** A chat of one user message. */
  chat(content: unknown, options: { model?: string; principal?: string } & JsonObject = {}): Promise<Answer> {
    const { principal = 'alice', model = 'default', ...more } = options;
    return this.post('/v1/chat/completions', { model, messages: [{ role: 'user', content }], ...more }, principal);
  }

  /** The whole ledger, parsed. */
  async ledger(principal = 'alice'): Promise<JsonObject[]> {
    return (await this.get('/v1/audit/ledger?limit=10000', principal)).body.records;
  }
}

/** As an operator does it: named as dependencies by the package.json beside the configuration. */
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

/** A configuration with an echo behind it, and guards that the tests trip by words. */
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
    // Tests ask the same again and again, and mean another request.
    approvals: { reuse_for: 0, ...approvals },
    ...rest,
  };
}
