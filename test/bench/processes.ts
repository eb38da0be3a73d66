import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delayed } from 'node:timers/promises';

/** Long enough for slow programs on a busy machine, and for a first start over millions of records without a tree. */
const START_MS = 600_000;

/** Whether a process is measured or serves the measurement. If possible, the measured one gets a core to itself. */
export type Role = 'measured' | 'upstream' | 'load';

export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
}

/** Sends a message to a process, and resolves to its answer. */
export async function ask<Answer>({ child }: Started, message: object): Promise<Answer> {
  const answered = new AbortController();
  const ended = once(child, 'exit', { signal: answered.signal }).then(() => {
    throw new Error('a process of the bench ended too early');
  });
  const answer = once(child, 'message', { signal: answered.signal });
  child.send(message);
  try {
    return (await Promise.race([answer, ended]))[0];
  } finally {
    answered.abort();
    await Promise.allSettled([answer, ended]);
  }
}

/** How to start a process. By default, Node runs it and its parent can send it messages. */
interface Kind {
  /** Without a message channel. */
  readonly alone?: true;
  /** A program other than Node, which has no message channel either. */
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Output that shows that the process is ready; absent: ready once it accepts connections. */
  readonly says?: string;
}

/** Starts the processes of the bench, each on its own core if requested and possible, and ends them all. */
export class Processes {
  readonly pinned: boolean;
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];
  readonly #measured: ChildProcess[] = [];
  readonly #ends: (() => Promise<void>)[] = [];

  /** Writes the processes' output to files in `folder`. */
  constructor(folder: string, pin: boolean) {
    this.#folder = folder;
    this.pinned = pin && availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
  }

  start(role: Role, name: string, args: readonly string[], { alone, program, env }: Kind = {}): Started {
    const [command = '', ...rest] = [...this.#prefix(role), program ?? process.execPath, ...args];
    const log = openSync(join(this.#folder, `${name}.log`), 'a');
    const channel = alone === true || program !== undefined ? 'ignore' : 'ipc';
    const child = spawn(command, rest, {
      cwd: this.#folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log, channel],
    });
    this.#children.push(child);
    if (role === 'measured') this.#measured.push(child);
    if (child.pid === undefined) throw new Error(`${name} could not be started`);
    return { child, pid: child.pid };
  }

  /** Starts a server, and waits until it accepts connections. */
  async serve(role: Role, name: string, port: number, args: readonly string[], kind: Kind = {}): Promise<Started> {
    const started = this.start(role, name, args, kind);
    const late = performance.now() + START_MS;
    const output = (): string => readFileSync(join(this.#folder, `${name}.log`), 'utf8');
    while (!(await listens(port)) || !output().includes(kind.says ?? '')) {
      if (started.child.exitCode !== null || performance.now() > late) throw new Error(`${name} does not listen:\n${output()}`);
      await delayed(50);
    }
    return started;
  }

  /** Registers something to end after the measured processes. */
  onEnd(end: () => Promise<void>): void {
    this.#ends.push(end);
  }

  /** Kills all processes, because nothing they hold is needed. */
  end(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  /** Kills a measured process and waits for its end. */
  async kill(pid: number): Promise<void> {
    await Promise.all(this.#measured.filter((child) => child.pid === pid).map(kill));
  }

  /** Kills the measured processes and waits for their end. The next part starts new ones. */
  async endMeasured(): Promise<void> {
    await Promise.all(this.#measured.splice(0).map(kill));
    for (const end of this.#ends.splice(0)) await end();
  }

  #prefix(role: Role): string[] {
    if (!this.pinned) return [];
    const cores = { measured: 0, load: 1, upstream: availableParallelism() > 2 ? 2 : 1 };
    return ['taskset', '--cpu-list', String(cores[role])];
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

function listens(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

export async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer().on('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}
