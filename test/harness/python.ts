import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The oldest that the Python client promises. */
const LEAST = '3.10';

/** The machine's own Python; `SVC_PYTHON` names another. Null where there is none that is new enough and can make environments. */
export function findPython(least = LEAST): string | null {
  const check = `import ensurepip, sys, venv; sys.exit(sys.version_info < (${least.replace('.', ', ')}))`;
  const names = [process.env.SVC_PYTHON ?? 'python3', 'python'];
  return names.find((name) => spawnSync(name, ['-c', check], { stdio: 'ignore' }).status === 0) ?? null;
}

export const needsPython = (least = LEAST) => `Python ${least} or newer with venv, for example: apt-get install python3-venv`;

/** Whether tests that need Python are skipped, which it says: never in CI. */
export function skipsPython(what: string, least = LEAST): boolean {
  const skipped = findPython(least) === null && process.env.CI !== 'true';
  if (skipped) console.warn(`${what}: skipped, since there is no ${needsPython(least)}`);
  return skipped;
}

/** Why pip could not install what tests need; empty where it could. @throws in CI */
export function whyOffline({ code, output }: ProgramResult): string {
  if (code === 0) return '';
  if (process.env.CI === 'true') throw new Error(output);
  return output;
}

/** The exit code of a program, and what it wrote to stdout and stderr. */
export interface ProgramResult {
  readonly code: number;
  readonly output: string;
}

/** A virtual environment in a folder of its own. */
export class PythonEnvironment {
  readonly folder: string;
  readonly #bin: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#bin = join(folder, 'venv', 'bin');
  }

  static async create(least = LEAST): Promise<PythonEnvironment> {
    const python = findPython(least);
    if (python === null) throw new Error(`these tests need ${needsPython(least)}`);
    const folder = mkdtempSync(join(tmpdir(), 'svc-python-'));
    await run(python, ['-m', 'venv', join(folder, 'venv')]);
    return new PythonEnvironment(folder);
  }

  /** Installs what pip is told; what is imported is compiled then. */
  pip(...args: string[]): Promise<ProgramResult> {
    return this.run(['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check', ...args]);
  }

  /** Runs Python, which keeps what it compiles in its own folder, also where the surroundings say that it keeps nothing. */
  async run(
    args: readonly string[],
    { cwd = this.folder, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
  ): Promise<ProgramResult> {
    const path = `${this.#bin}:${process.env.PATH ?? ''}`;
    const compiled = { PYTHONDONTWRITEBYTECODE: '', PYTHONPYCACHEPREFIX: join(this.folder, 'compiled') };
    const options = { cwd, env: { ...process.env, PATH: path, ...compiled, ...env } };
    return run(join(this.#bin, 'python'), args, options).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code: Number(code), output: stdout + stderr }),
    );
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
