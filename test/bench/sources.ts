import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(import.meta.dirname, '..', '..');

/** Finds source files for places in the build's bundles. Paths are relative to the repository. */
export class Sources {
  readonly #maps = new Map<string, SourceMap>();

  /**
   * @param url of a file in a `dist` folder
   * @param line zero-based
   * @param column zero-based
   */
  at(url: string, line: number, column: number): string {
    const file = fileURLToPath(url);
    const map = this.#maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    this.#maps.set(file, map);
    const entry = map.findEntry(line, column);
    return relative(ROOT, 'originalSource' in entry ? join(file, '..', entry.originalSource) : file);
  }
}

/** Whether a URL is a built file of this repository's packages. */
export function isOurs(url: string): boolean {
  return url.startsWith('file:') && url.includes('/dist/') && !url.includes('/node_modules/');
}
