import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Kept between runs. Checks of this repository skip it. */
const FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'svc-agents');

/**
 * Packages from npm that are too large to install for every contributor, installed once. Their install scripts do not run.
 * @param packages with versions
 * @returns their `node_modules`
 */
export async function npmPackages(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(FOLDER, name);
  const modules = join(folder, 'node_modules');
  if (existsSync(join(folder, 'complete'))) return modules;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  await run('npm', ['install', ...quiet, '--prefix', folder, ...packages], { cwd: folder });
  mkdirSync(join(folder, 'complete'));
  return modules;
}
