import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

/** A fenced block of a page. `language` is the first word after the fence, `mark` the rest. */
export interface Fence {
  readonly page: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly mark: string;
  readonly text: string;
}

/** The pages in the root, examples/ and docs/, relative to the root. */
export const PAGES: readonly string[] = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'examples/README.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
].filter((name) => name.endsWith('.md'));

export const PLUGIN_PAGES: readonly string[] = readdirSync(join(ROOT, 'plugins'))
  .map((name) => join(ROOT, 'plugins', name))
  .flatMap((folder) => readdirSync(folder).map((name) => relative(ROOT, join(folder, name))))
  .filter((name) => name.endsWith('README.md'));

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** The fenced blocks of a page, in order. */
export function fencesOf(page: string): Fence[] {
  const fences: Fence[] = [];
  const text = readPage(page);
  for (const found of text.matchAll(/^```(\w*) *([^\n]*)\n([\s\S]*?)^```$/gm)) {
    const [, language = '', mark = '', body = ''] = found;
    fences.push({ page, line: text.slice(0, found.index).split('\n').length, language, mark, text: body });
  }
  return fences;
}
