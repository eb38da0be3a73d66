import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JsonObject, JsonValue } from '@svc/contracts';
import { asGroup, killGroup } from './process-group.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'packages');
export const MAIN = join(import.meta.dirname, '..', '..', 'host', 'dist', 'main.js');

/** Configuration as an object: JSON is YAML. Keys are added for every principal. */
export interface GatewayConfig extends JsonObject {
  providers: JsonObject;
  routes: JsonObject;
}

export interface StartOptions {
  config: GatewayConfig;
  /** Principals with a key; `routes` and `roles` bind it. */
  principals?: readonly ({ principal_id: string } & { routes?: string[]; roles?: string[] })[];
  args?: readonly string[];
  env?: Record<string, string>;
  /** Names of folders in test/fixtures/packages, installed beside the configuration. */
  packages?: readonly string[];
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

/** A gateway in a process of its own, as an operator starts it, with its configuration and runs in a folder of its own. */
export class TestGateway {
  readonly folder: string;
  readonly keys: ReadonlyMap<string, string>;
  readonly #args: readonly string[];
  readonly #env: Record<string, string>;
  #child: ChildProcess | undefined;
  #output = '';
  readonly #written = new EventEmitter();
  url = '';

  private constructor(folder: string, keys: ReadonlyMap<string, string>, options: StartOptions) {
    this.folder = folder;
    this.keys = keys;
    this.#args = options.args ?? ['--runs-db', join(folder, 'runs-db')];
    this.#env = options.env ?? {};
  }

  static async start(options: StartOptions): Promise<TestGateway> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    const principals = options.principals ?? DEFAULT_PRINCIPALS;
    const keys = new Map(principals.map(({ principal_id }) => [principal_id, `svc-${randomBytes(32).toString('hex')}`]));
    const gateway = new TestGateway(folder, keys, options);
    const entries = principals.map((principal) => ({ ...principal, key_hash: hashOf(gateway.key(principal.principal_id)) }));
    await installPackages(folder, options.packages ?? []);
    await gateway.configure({ ...options.config, auth: { keys: entries } });
    await gateway.launch();
    return gateway;
  }

  /** One with a configuration as it stands in a file, with its keys in the environment or as the caller knows them. */
  static async startFile(
    text: string,
    keys: ReadonlyMap<string, string>,
    options: Pick<StartOptions, 'args' | 'env'> = {},
  ): Promise<TestGateway> {
    const gateway = new TestGateway(await mkdtemp(join(tmpdir(), 'svc-test-')), keys, { config: NONE, ...options });
    await writeFile(join(gateway.folder, 'svc.yaml'), text);
    await gateway.launch();
    return gateway;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('the gateway does not run');
    return this.#child.pid;
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

  key(principal: string): string {
    const key = this.keys.get(principal);
    if (key === undefined) throw new Error(`no key for ${principal}`);
    return key;
  }

  /** Writes the configuration file anew, for the next start. It stops without a drain delay unless it has one. */
  async configure(config: JsonObject): Promise<void> {
    const server = { drain_delay: '0s', ...(config.server as JsonObject | undefined) };
    await writeFile(join(this.folder, 'svc.yaml'), JSON.stringify({ ...config, server }, null, 2));
  }

  /** @param args those of the first start unless given */
  async launch(args: readonly string[] = this.#args): Promise<void> {
    const all = [MAIN, 'serve', '--config', join(this.folder, 'svc.yaml'), '--port', '0', ...args];
    const env = { ...process.env, ...this.#env };
    const child = asGroup(spawn(process.execPath, all, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }));
    this.#child = child;
    child.stderr.on('data', (data: Buffer) => {
      this.#write(data.toString());
    });
    this.url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        this.#write(`${line}\n`);
        const listening = /"event":"listening","url":"([^"]+)"/.exec(line)?.[1];
        if (listening !== undefined) resolve(listening);
      });
      child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${this.#output}`)));
    });
  }

  /** Ends it in order, or at once. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    return child.exitCode;
  }

  /** Resolves once nothing holds its output any more: it has ended, and so have the workers that it started. */
  async allEnded(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.stdout?.closed === false) await once(child, 'close');
  }

  async dispose(): Promise<void> {
    if (this.#child !== undefined) await killGroup(this.#child);
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

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A configuration with an echo behind it, and guards that the tests trip by words. */
export function echoConfig(
  changes: { routes?: JsonObject; packs?: JsonObject; providers?: JsonObject } & JsonObject = {},
): GatewayConfig {
  const { routes, packs, providers, ...rest } = changes;
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
    ...rest,
  };
}
