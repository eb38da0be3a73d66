import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findPython, needsPython } from './python.ts';

const run = promisify(execFile);
/** Kept between runs. Checks of this repository skip it. */
const FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'svc-bench');

/** The arguments of each pip call. */
export type Installs = readonly (readonly string[])[];

/**
 * A virtual environment with packages from PyPI, created once. Returns the folder of its programs.
 * @throws {Error} with the reason if there is no Python or the installation fails
 */
export async function pythonPackages(name: string, installs: Installs): Promise<string> {
  const folder = join(FOLDER, name);
  const bin = join(folder, 'bin');
  if (existsSync(join(folder, 'complete'))) return bin;
  const python = findPython();
  if (python === null) throw new Error(`needs ${needsPython()}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  process.stderr.write(`installing ${name} from PyPI\n`);
  await run(python, ['-m', 'venv', folder]);
  // Modules are compiled when first imported.
  for (const args of installs) {
    await run(join(bin, 'python'), [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-compile',
      '--disable-pip-version-check',
      ...args,
    ]).catch(({ stderr }: { stderr: string }) => {
      throw new Error(`pip could not install ${name}: ${stderr.trim().split('\n').at(-1)}`);
    });
  }
  mkdirSync(join(folder, 'complete'));
  return bin;
}
