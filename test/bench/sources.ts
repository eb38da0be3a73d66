import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(import.meta.dirname, '..', '..');

/** Source files behind places of the build's bundles, relative to the repository. */
export class Sources {
  readonly #maps = new Map<string, SourceMap>();

  /** @param url of a file in a folder `dist`; line and column from 0 */
  at(url: string, line: number, column: number): string {
    const file = fileURLToPath(url);
    const map = this.#maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    this.#maps.set(file, map);
    const entry = map.findEntry(line, column);
    return relative(ROOT, 'originalSource' in entry ? join(file, '..', entry.originalSource) : file);
  }
}

/** Of our packages, built. */
export function isOurs(url: string): boolean {
  return url.startsWith('file:') && url.includes('/dist/') && !url.includes('/node_modules/');
}
