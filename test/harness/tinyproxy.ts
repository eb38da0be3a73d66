import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../bench/processes.ts';
import { until } from './until.ts';

/** Without tinyproxy, its tests are skipped; if `CI` is set, they fail. */
export const skipsProxy = spawnSync('tinyproxy', ['-v']).error !== undefined && process.env.CI !== 'true';
if (skipsProxy)
  console.warn('tests with a proxy: skipped because tinyproxy is not installed; for example: apt-get install tinyproxy');

export class TestProxy {
  readonly #home: string;
  readonly #child: ChildProcess;
  readonly url: string;
  #log = '';

  private constructor(home: string, child: ChildProcess, port: number) {
    this.#home = home;
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
    child.stdout?.on('data', (data: Buffer) => {
      this.#log += data.toString();
    });
  }

  /** @param lines additional lines of configuration */
  static async start(...lines: string[]): Promise<TestProxy> {
    const home = await mkdtemp(join(tmpdir(), 'svc-tinyproxy-'));
    const port = await freePort();
    const conf = join(home, 'tinyproxy.conf');
    await writeFile(conf, [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', 'LogLevel Info', ...lines, ''].join('\n'));
    const child = spawn('tinyproxy', ['-d', '-c', conf], { stdio: ['ignore', 'pipe', 'inherit'] });
    const proxy = new TestProxy(home, child, port);
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`tinyproxy ended: ${proxy.#log}`);
      const socket = connect(port, '127.0.0.1');
      const is = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(
        () => false,
      );
      socket.destroy();
      return is;
    });
    return proxy;
  }

  /** The requests it received, as method and target. */
  get asked(): string[] {
    return [...this.#log.matchAll(/Request \(file descriptor \d+\): (\S+ \S+)/g)].map(([, line = '']) => line);
  }

  async dispose(): Promise<void> {
    const ended = once(this.#child, 'exit');
    if (this.#child.exitCode === null && this.#child.kill()) await ended;
    await rm(this.#home, { recursive: true, force: true });
  }
}
