import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../docs/fences.ts';
import { listeningUrl } from '../harness/listening.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A folder in which commands of the documentation run as printed. It differs from a clone in three ways: the port is a free one, `npm start` keeps
 * its files in this folder, and `npx` runs the installed command without npm, which needs half a second of the processor each time.
 */
export class Newcomer {
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;
  #server: ChildProcess | undefined;
  #log = '';
  #port = '8000';

  private constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.#env = env;
  }

  static async arrive(): Promise<Newcomer> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-docs-'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const [commands, installed] = [join(folder, 'commands'), join(ROOT, 'node_modules', '.bin')];
    await mkdir(commands);
    // test/e2e/outside.test.ts follows a tutorial with npm's.
    await writeFile(join(commands, 'npx'), `#!/bin/sh\nexec '${installed}/'"$@"\n`, { mode: 0o755 });
    return new Newcomer(folder, { PATH: [commands, installed, process.env.PATH].join(delimiter) });
  }

  /** In a folder without access to the project. */
  static elsewhere(folder: string): Newcomer {
    return new Newcomer(folder, {});
  }

  async key(): Promise<string> {
    return (await readFile(join(this.folder, 'svc.key'), 'utf8')).trim();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  run(block: string): Promise<Outcome> {
    return this.#end(this.#spawn('bash', ['-euo', 'pipefail', '-c', this.#ported(block)], this.folder));
  }

  /** Runs a script, with the key in the environment as docs/connect.md sets it. */
  async runScript(text: string): Promise<Outcome> {
    const args = ['--input-type=module', '--eval', this.#ported(text)];
    return this.#end(this.#spawn(process.execPath, args, this.folder, { SVC_KEY: await this.key() }));
  }

  /** Runs `npm start` without its setup step, which ran before the tests. */
  npmStart(): Promise<void> {
    const args = ['start', '--ignore-scripts', '--', '--config', join(this.folder, 'svc.yaml'), '--port', '0'];
    return this.#serve('npm', args, ROOT);
  }

  /** Runs a block that ends with `svc serve`, until it listens. */
  serve(block: string): Promise<void> {
    return this.#serve('bash', ['-euo', 'pipefail', '-c', `${block.trimEnd()} --port 0`], this.folder);
  }

  async #serve(command: string, args: string[], cwd: string): Promise<void> {
    const child = this.#spawn(command, args, cwd);
    this.#server = child;
    child.stderr?.on('data', (data: Buffer) => {
      this.#log += data.toString();
    });
    this.#port = await new Promise((resolve, reject) => {
      if (child.stdout === null) throw new Error('no output');
      createInterface({ input: child.stdout }).on('line', (line) => {
        this.#log += `${line}\n`;
        const url = listeningUrl(line);
        if (url !== undefined) resolve(new URL(url).port);
      });
      child.once('close', (code) => reject(new Error(`ended with ${code}: ${this.#log}`)));
    });
  }

  /** Stops the server like an operator, and waits for its end. Returns its log. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<string> {
    const child = this.#server;
    this.#server = undefined;
    if (child?.pid === undefined) return this.#log;
    const closed = child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined;
    // npm and the shell are in between, so the whole group gets the signal.
    process.kill(-child.pid, signal);
    await closed;
    return this.#log;
  }

  async leave(): Promise<void> {
    await this.stop('SIGKILL').catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }

  #ported(text: string): string {
    const named = text.replaceAll(/svc (ledger keys|evidence pack)/g, `$& --server ${this.url}`);
    return named.replaceAll('127.0.0.1:8000', `127.0.0.1:${this.#port}`);
  }

  #spawn(command: string, args: string[], cwd: string, more: NodeJS.ProcessEnv = {}): ChildProcess {
    const env = { ...process.env, ...this.#env, ...more };
    return spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async #end(child: ChildProcess): Promise<Outcome> {
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (data: Buffer) => {
      stdout += data.toString();
    });
    child.stderr?.on('data', (data: Buffer) => {
      stderr += data.toString();
    });
    const [code] = await once(child, 'close');
    return { code, stdout, stderr };
  }
}
