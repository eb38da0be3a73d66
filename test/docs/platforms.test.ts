import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, readPage } from './fences.ts';

const THERE = ['scripts/*.js', '{kernel,sdk,host,test}/**/*.ts', 'plugins/**/*.ts', 'package.json', 'package-lock.json'];

it('the README names the supported systems, and there is no code for others', () => {
  expect(readPage('README.md')).toMatch(/On Linux and macOS, .*WSL/);
  const files = globSync(THERE, {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**', import.meta.filename.slice(ROOT.length + 1)],
  });
  expect(files.length).toBeGreaterThan(500);
  const found = files.filter((name) =>
    /platform\s*[!=]==?\s*'win|node-win-|npm\.cmd/.test(readFileSync(join(ROOT, name), 'utf8')),
  );
  expect(found).toEqual([]);
});
