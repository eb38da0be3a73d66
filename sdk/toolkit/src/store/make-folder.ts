import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder that only its owner may use, and what is missing above it. Node's own recursive `mkdir` never returns where the system
 * answers ENOENT below a folder that exists, as /proc does.
 * @throws {Error} of the system, such as EACCES
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been quicker.
    if (!existsSync(path)) throw error;
  }
}
