import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** As many as Linux follows. */
const MAX_LINKS = 40;

/** Identifies a file whatever path is used: by its path with links resolved and, if the file exists, by its device and inode. */
export function identitiesOf(path: string): string[] {
  const real = realPath(path, MAX_LINKS);
  try {
    const { dev, ino } = statSync(path);
    return [real, `inode ${dev}:${ino}`];
  } catch {
    return [real];
  }
}

/** Resolves a path. The file need not exist: dangling links are followed, then the nearest existing folder is resolved. */
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
