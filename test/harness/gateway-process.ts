import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { limitedLaunch } from '../../host/src/process/heap-limits.ts';
import type { RunningGateway } from './gateway.ts';
import { listeningUrl } from './listening.ts';
import { asGroup, killGroup } from './process-group.ts';

export const MAIN = join(import.meta.dirname, '..', '..', 'host', 'dist', 'main.js');

/** A gateway in a separate process: the build, as an operator starts it. */
export class GatewayProcess implements RunningGateway {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  /** Rejects if the process ends first. */
  readonly listening: Promise<void>;
  url = '';

  private constructor(child: ChildProcessByStdio<null, Readable, Readable>, write: (text: string) => void) {
    this.#child = child;
    let output = '';
    const take = (text: string): void => {
      output += text;
      write(text);
    };
    child.stderr.on('data', (data: Buffer) => take(data.toString()));
    this.listening = new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        take(`${line}\n`);
        const listening = listeningUrl(line);
        if (listening === undefined) return;
        this.url = listening;
        resolve();
      });
      child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}:\n${output}`)));
    });
  }

  /** @param write receives everything it writes to stdout and stderr */
  static spawn(args: readonly string[], env: Record<string, string>, write: (text: string) => void): GatewayProcess {
    const plain = { args: [process.execPath, MAIN, 'serve', ...args], env: { ...process.env, ...env } };
    // Started with the limits that it would otherwise restart itself with, which saves a tenth of the startup time.
    const limited = limitedLaunch({ execPath: process.execPath, execArgv: [], argv: plain.args, env: plain.env });
    const {
      args: [program = '', ...rest],
      env: all,
    } = limited ?? plain;
    const child = spawn(program, rest, { env: all, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    return new GatewayProcess(asGroup(child), write);
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the gateway does not run');
    return this.#child.pid;
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    return child.exitCode;
  }

  async allEnded(): Promise<void> {
    if (!this.#child.stdout.closed) await once(this.#child, 'close');
  }

  dispose(): Promise<void> {
    return killGroup(this.#child);
  }
}
