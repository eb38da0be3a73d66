import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/** Names of a file that another path to it has too: its path without links, and what the file system calls it, where it is there. */
export function identitiesOf(path: string): string[] {
  const real = realPath(path, MAX_LINKS);
  try {
    const { dev, ino } = statSync(path);
    return [real, `inode ${dev}:${ino}`];
  } catch {
    return [real];
  }
}

/** Also of what is not there yet: links that lead nowhere are followed, and of the rest the nearest folder that is there. */
function realPath(path: string, links: number): string {
  try {
    return realpathSync(path);
  } catch {
    const target = links > 0 ? linkTarget(path) : null;
    if (target !== null) return realPath(resolve(dirname(path), target), links - 1);
    return dirname(path) === path ? path : join(realPath(dirname(path), links), basename(path));
  }
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
