import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder that only its owner may use, and its missing parents. Node's own recursive `mkdir` never returns if the system reports ENOENT
 * below an existing folder, as in /proc.
 * @throws {Error} the system's error, such as EACCES
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it first.
    if (!existsSync(path)) throw error;
  }
}
