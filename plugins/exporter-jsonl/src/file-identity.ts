import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** Identifies a file independently of the path used: its path with links resolved and, if it exists, its device and inode. */
export function identitiesOf(path: string): string[] {
  const real = realPath(path, MAX_LINKS);
  try {
    const { dev, ino } = statSync(path);
    return [real, `inode ${dev}:${ino}`];
  } catch {
    return [real];
  }
}

/** Also works for files that do not exist yet: follows dangling links, then resolves the nearest existing folder. */
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
