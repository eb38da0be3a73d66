import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delayed } from 'node:timers/promises';
import { encodePosition } from '@svc/toolkit/store';
import { MAIN } from './gateways.ts';
import { createdAt, principalOf } from './growth-fill.ts';
import { childrenOf, type Memory, memoryOf } from './proc.ts';
import { freePort, type Processes, type Started } from './processes.ts';

/** Page size. */
export const LIMIT = 1_000;
const LOOK_EVERY_MS = 100;
const CONNECTIONS = 32;
const LOAD = 2_000;
const TEXT = 'A customer asks how long a payment to another country takes, what it costs, and whether it can be called back. ';

/** Audit pages by name, for a folder with this many runs. */
export function pagesOf(runs: number): Readonly<Record<string, string>> {
  const audit = `/v1/audit?limit=${LIMIT}`;
  const records = `/v1/audit/ledger?limit=${LIMIT}`;
  const principal = `${audit}&principal=${principalOf(0)}`;
  return {
    'runs, newest': audit,
    'runs, oldest': `${audit}&cursor=${encodePosition([createdAt(LIMIT), '0'])}`,
    'runs, blocked': `${audit}&status=blocked`,
    'runs, of a principal': principal,
    'runs, of a principal, since': `${principal}&since=${encodeURIComponent(createdAt(Math.floor(runs / 2)))}`,
    'runs, none': `${audit}&principal=${principalOf(1)}&status=blocked`,
    'runs, with a verdict': `${audit}&verdict=allow`,
    'runs, with a code, none': `${audit}&code=none-such`,
    'records, first': records,
    'records, last': `${records}&since_seq=${runs - LIMIT}`,
    report: '/v1/audit/report',
  };
}

/** A folder with runs and a configuration. */
export class GrowthFolder {
  readonly runsDb: string;
  readonly #processes: Processes;
  readonly #config: string;
  readonly #key = `svc-${randomBytes(32).toString('hex')}`;

  constructor(processes: Processes, folder: string) {
    mkdirSync(folder);
    this.#processes = processes;
    this.runsDb = join(folder, 'runs-db');
    this.#config = join(folder, 'svc.yaml');
    writeFileSync(this.#config, JSON.stringify(configuration(this.#key), null, 2));
  }

  /** Starts a gateway as an operator starts it. */
  async start(): Promise<GrowthGateway> {
    const port = await freePort();
    const args = [MAIN, 'serve', '--config', this.#config, '--port', String(port), '--runs-db', this.runsDb];
    const began = performance.now();
    const started = await this.#processes.serve('measured', 'gateway', port, args, { alone: true });
    return new GrowthGateway(started, `http://127.0.0.1:${port}`, this.#key, began);
  }
}

/** JSON is valid YAML. */
function configuration(key: string): object {
  const rules = [
    { name: 'account', match: '\\b\\d{4}-\\d{4}\\b', verdict: 'sanitize', replacement: '<ACCOUNT>' },
    { name: 'phoenix', match: '(?i)project\\s{1,8}phoenix', verdict: 'block' },
  ];
  const key_hash = `sha256:${createHash('sha256').update(key).digest('hex')}`;
  return {
    auth: { keys: [{ principal_id: 'bench', key_hash, roles: ['call', 'audit'] }] },
    providers: { echo: { type: 'echo' } },
    packs: { questions: { type: 'rules', rules }, answers: { type: 'rules', rules } },
    routes: { default: { provider: 'echo', model: 'echo', pipeline: { ingress: ['questions'], egress: ['answers'] } } },
  };
}

export class GrowthGateway {
  readonly #started: Started;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #began: number;
  /** Time until it accepted connections, to within 50 ms. */
  readonly start_ms: number;

  constructor(started: Started, url: string, key: string, began: number) {
    this.#started = started;
    this.#url = url;
    this.#headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    this.#began = began;
    this.start_ms = performance.now() - began;
  }

  /** @returns the run id */
  async chat(): Promise<string> {
    const body = JSON.stringify({ model: 'default', messages: [{ role: 'user', content: TEXT.repeat(4) }] });
    const answer = await fetch(`${this.#url}/v1/chat/completions`, { method: 'POST', headers: this.#headers, body });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    return answer.headers.get('x-svc-run-id') ?? '';
  }

  async page(path: string): Promise<{ ms: number; entries: number }> {
    const began = performance.now();
    const text = await (await this.#get(path, [200])).text();
    const ms = performance.now() - began;
    const { runs, records } = JSON.parse(text) as { runs?: unknown[]; records?: unknown[] };
    return { ms, entries: (runs ?? records ?? []).length };
  }

  /** Signs the ledger as it is now. */
  async checkpoint(): Promise<void> {
    await (await this.#get('/v1/audit/ledger/checkpoint', [200])).text();
  }

  /** Waits until the audit is served. Returns the seconds since the start, and the peak memory of the process that reads the store meanwhile. */
  async checked(): Promise<{ seconds: number; child_mb: number }> {
    let child_mb = 0;
    for (;;) {
      const answer = await this.#get('/v1/audit?limit=1', [200, 503]);
      await answer.text();
      if (answer.status === 200) return { seconds: (performance.now() - this.#began) / 1000, child_mb };
      child_mb = Math.max(child_mb, ...childrenOf(this.#started.pid).map((pid) => memoryOf(pid)?.anonymous ?? 0));
      await delayed(LOOK_EVERY_MS);
    }
  }

  memory(): Memory | null {
    return memoryOf(this.#started.pid);
  }

  /**
   * Sends chats.
   * @returns answers per second
   */
  async load(): Promise<number> {
    let left = LOAD;
    const began = performance.now();
    const client = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await this.chat();
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
    return (LOAD * 1000) / (performance.now() - began);
  }

  /** Stops it in order. */
  async stop(): Promise<void> {
    const { child } = this.#started;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }

  async #get(path: string, expected: readonly number[]): Promise<Response> {
    const answer = await fetch(`${this.#url}${path}`, { headers: this.#headers });
    if (expected.includes(answer.status)) return answer;
    throw new Error(`${path}: status ${answer.status}`);
  }
}
