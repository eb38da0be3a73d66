import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findPython, needsPython } from './python.ts';
import { install, KEPT } from './python-install.ts';

const run = promisify(execFile);

/** The arguments of each call of {@link install}. */
export type Installs = readonly (readonly string[])[];

/**
 * A virtual environment with packages from PyPI, created once. Returns the folder of its programs.
 * @throws {Error} with the reason if there is no Python or the installation fails
 */
export async function pythonPackages(name: string, installs: Installs): Promise<string> {
  const folder = join(KEPT, name);
  const bin = join(folder, 'bin');
  if (existsSync(join(folder, 'complete'))) return bin;
  const python = findPython();
  if (python === null) throw new Error(`needs ${needsPython()}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  process.stderr.write(`installing ${name} from PyPI\n`);
  await run(python, ['-m', 'venv', '--without-pip', folder]);
  for (const args of installs) {
    const { code, output } = await install(join(bin, 'python'), args);
    if (code !== 0) throw new Error(`${name} could not be installed: ${output.trim().split('\n').at(-1)}`);
  }
  mkdirSync(join(folder, 'complete'));
  return bin;
}
