import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Installs packages of Python in a tenth of the processor time that pip takes. */
const UV = 'uv==0.13.9';
/** Kept between runs. Checks of this repository skip it. */
export const KEPT = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'svc-bench');

/** A program's exit code and its output. */
export interface ProgramResult {
  readonly code: number;
  readonly output: string;
}

export function resultOf(running: Promise<{ stdout: string; stderr: string }>): Promise<ProgramResult> {
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout = '', stderr = '', message }) => ({ code: Number(code), output: stdout + stderr || message }),
  );
}

/**
 * Installs packages from PyPI into the virtual environment of this Python. It needs no pip of its own.
 * @param python its program
 * @param args of `uv pip install`
 */
export async function install(python: string, args: readonly string[]): Promise<ProgramResult> {
  const options = ['--quiet', '--no-config', '--python', python];
  return resultOf(uv(python).then((program) => run(program, ['pip', 'install', ...options, ...args])));
}

/** The program `uv`, installed once by pip. Several processes may want it at once, and the first one keeps its folder. */
async function uv(python: string): Promise<string> {
  const folder = join(KEPT, UV.replace('==', '-'));
  const program = join(folder, 'bin', 'uv');
  if (existsSync(program)) return program;
  mkdirSync(dirname(folder), { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  try {
    await run(python, ['-m', 'venv', made]);
    await run(join(made, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', UV]);
    if (!existsSync(program)) renameSync(made, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return program;
}
