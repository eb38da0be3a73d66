import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { install, type ProgramResult, resultOf } from './python-install.ts';

const run = promisify(execFile);
/** The oldest version that the Python client supports. */
const LEAST = '3.10';

/** The installed Python. `SVC_PYTHON` names another one. Null if none is new enough and able to create virtual environments. */
export function findPython(least = LEAST): string | null {
  const check = `import ensurepip, sys, venv; sys.exit(sys.version_info < (${least.replace('.', ', ')}))`;
  const names = [process.env.SVC_PYTHON ?? 'python3', 'python'];
  return names.find((name) => spawnSync(name, ['-c', check], { stdio: 'ignore' }).status === 0) ?? null;
}

export const needsPython = (least = LEAST) => `Python ${least} or newer with venv, for example: apt-get install python3-venv`;

/** Whether to skip tests that need Python. Prints a message if so. Never true in CI. */
export function skipsPython(what: string, least = LEAST): boolean {
  const skipped = findPython(least) === null && process.env.CI !== 'true';
  if (skipped) console.warn(`${what}: skipped because of missing ${needsPython(least)}`);
  return skipped;
}

/**
 * Why the packages that tests need could not be installed; empty if they were.
 * @throws {Error} in CI
 */
export function whyOffline({ code, output }: ProgramResult): string {
  if (code === 0) return '';
  if (process.env.CI === 'true') throw new Error(output);
  return output;
}

/** A virtual environment in its own folder. */
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
    await run(python, ['-m', 'venv', '--without-pip', join(folder, 'venv')]);
    return new PythonEnvironment(folder);
  }

  install(...args: string[]): Promise<ProgramResult> {
    return install(join(this.#bin, 'python'), args);
  }

  /** Runs Python. Compiled modules are kept in the environment's folder, even if the process environment disables that. */
  async run(
    args: readonly string[],
    { cwd = this.folder, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
  ): Promise<ProgramResult> {
    const path = `${this.#bin}:${process.env.PATH ?? ''}`;
    const compiled = { PYTHONDONTWRITEBYTECODE: '', PYTHONPYCACHEPREFIX: join(this.folder, 'compiled') };
    const options = { cwd, env: { ...process.env, PATH: path, ...compiled, ...env } };
    return resultOf(run(join(this.#bin, 'python'), args, options));
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
