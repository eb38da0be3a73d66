import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { freePort } from '../bench/processes.ts';
import { installPackages, MAIN, type RunningGateway } from './gateway.ts';
import { asGroup, killGroup } from './process-group.ts';
import { until } from './until.ts';

export interface Unread {
  readonly child: ChildProcess;
  readonly url: string;
  readonly errors: () => string;
}

export interface ServeOptions {
  readonly stdout?: number | 'pipe' | 'ignore';
  /** Default: a new folder. */
  readonly runs_db?: string;
  /** Whether to wait until it listens. Default: true. */
  readonly waits?: boolean;
}

/** Gateways whose log is not read. A gateway is listening once it responds. */
export class UnreadGateways {
  readonly folder: string;
  readonly #children: ChildProcess[] = [];
  readonly #here: RunningGateway[] = [];
  readonly #descriptors: number[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @param packages see {@link installPackages} */
  static async make(packages: readonly string[]): Promise<UnreadGateways> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-unread-'));
    await installPackages(folder, packages);
    return new UnreadGateways(folder);
  }

  async serve(config: JsonObject, { stdout = 'ignore', runs_db, waits = true }: ServeOptions = {}): Promise<Unread> {
    const port = await freePort();
    const args = [MAIN, 'serve', ...(await this.#configured(config, runs_db)), '--port', `${port}`];
    const child = asGroup(spawn(process.execPath, args, { detached: true, stdio: ['ignore', stdout, 'pipe'] }));
    this.#children.push(child);
    let errors = '';
    child.stderr?.on('data', (data: Buffer) => {
      errors += data.toString();
    });
    const url = `http://127.0.0.1:${port}`;
    const listens = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}: ${errors}`);
      return answers(url);
    };
    if (waits) await until(listens);
    return { child, url, errors: () => errors };
  }

  /** Starts the next one in the test process, and returns whether it was admitted and answers. */
  async serveHere(config: JsonObject, runs_db?: string): Promise<string> {
    const { GatewayHere } = await import('./gateway-here.ts');
    const here = await GatewayHere.start([...(await this.#configured(config, runs_db)), '--port', '0'], {}, () => undefined);
    this.#here.push(here);
    return here.url;
  }

  async #configured(config: JsonObject, runs_db = join(this.folder, 'runs-db')): Promise<string[]> {
    const file = join(this.folder, 'svc.yaml');
    await writeFile(file, JSON.stringify({ server: { drain_delay: '0s', drain_timeout: '5s' }, ...config, auth: { keys: [] } }));
    return ['--config', file, '--no-auth', '--runs-db', runs_db];
  }

  /** A pipe like a shell's, without a reader. */
  pipe(): { read: number; write: number } {
    const path = join(this.folder, `pipe-${this.#descriptors.length}`);
    execFileSync('mkfifo', [path]);
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const write = openSync(path, constants.O_WRONLY);
    this.#descriptors.push(write);
    return { read, write };
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#children.map(killGroup), ...this.#here.map((here) => here.dispose())]);
    for (const fd of this.#descriptors) closeSync(fd);
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Writes to a pipe until it is full. */
export function fill(write: number): void {
  const fd = openSync(`/proc/self/fd/${write}`, constants.O_WRONLY | constants.O_NONBLOCK);
  const page = Buffer.alloc(4096, '\n');
  try {
    for (;;) writeSync(fd, page);
  } catch {
  } finally {
    closeSync(fd);
  }
}

export async function chat(url: string): Promise<number> {
  const body = JSON.stringify({ model: 'default', messages: [{ role: 'user', content: 'hello' }] });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).status;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/v1/health`)).status === 200;
  } catch {
    return false;
  }
}
