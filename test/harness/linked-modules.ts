import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const INSTALLED = join(import.meta.dirname, '..', '..', 'node_modules');

/**
 * Gives a copy of this repository the installed modules, in a tenth of the time of `npm ci`: hard links, or copies if the target is on another disk.
 * @throws {Error} if neither works
 */
export function linkModules(copy: string): void {
  const to = join(copy, 'node_modules');
  const made = ['-al', '-a'].some((how) => {
    rmSync(to, { recursive: true, force: true });
    return spawnSync('cp', [how, INSTALLED, to]).status === 0;
  });
  if (!made) throw new Error(`cannot copy ${INSTALLED} to ${to}`);
  // The only file that npm writes to, so it must not be linked.
  const list = join(to, '.package-lock.json');
  rmSync(list);
  // With its time, by which a build knows that it is current.
  spawnSync('cp', ['-a', join(INSTALLED, '.package-lock.json'), list]);
}
