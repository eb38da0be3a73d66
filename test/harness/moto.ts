import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, Processes } from '../bench/processes.ts';
import { pythonPackages } from './python-packages.ts';

const run = promisify(execFile);
const SCRIPTS = join(import.meta.dirname, '..', 'clients', 'moto');

/** A double of AWS by others, in memory: https://docs.getmoto.org. It checks signatures and permissions. */
export class Moto {
  readonly #folder: string;
  readonly #processes: Processes;
  readonly #python: string;
  readonly url: string;

  private constructor(folder: string, processes: Processes, python: string, url: string) {
    this.#folder = folder;
    this.#processes = processes;
    this.#python = python;
    this.url = url;
  }

  /** @param unchecked the number of first requests that it accepts from everyone */
  static async start(unchecked: number): Promise<Moto> {
    const bin = await pythonPackages('moto-5.2.5', [['--no-deps', '-r', join(SCRIPTS, 'requirements.txt')]]);
    const folder = mkdtempSync(join(tmpdir(), 'svc-moto-'));
    const processes = new Processes(folder, false);
    const python = join(bin, 'python');
    const port = await freePort();
    const env = { INITIAL_NO_AUTH_ACTION_COUNT: `${unchecked}` };
    const args = ['-m', 'moto.server', '-H', '127.0.0.1', '-p', `${port}`];
    await processes.serve('load', 'moto', port, args, { program: python, env });
    return new Moto(folder, processes, python, `http://127.0.0.1:${port}`);
  }

  /** The output of a script of `test/clients/moto`, which is JSON. */
  async script(name: string, ...args: string[]) {
    return JSON.parse((await run(this.#python, [join(SCRIPTS, name), this.url, ...args])).stdout);
  }

  stop(): void {
    this.#processes.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
