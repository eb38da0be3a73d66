import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, readPage } from './fences.ts';

const page = readPage('docs/changing.md');

it('names existing files', () => {
  const paths = [...page.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('names existing scripts of package.json', () => {
  const { scripts } = JSON.parse(readPage('package.json'));
  const named = [...page.matchAll(/`npm run ([\w:-]+)`/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
