import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readPage } from './fences.ts';

const CORE = 'kernel/engine/src/core';
const MAX_LINES = 2_270;

const files = globSync('*.ts', { cwd: new URL(`../../${CORE}`, import.meta.url), exclude: ['*.test.ts', 'test-*.ts'] });

it('has a reading order that names every file of the core once, and no other', () => {
  const named = [...readPage('kernel/engine/README.md').matchAll(/^\d+\. `([\w-]+\.ts)`: \S/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(files.toSorted());
});

it(`has a core of at most ${MAX_LINES} lines`, () => {
  const lines = files.map((file) => readPage(`${CORE}/${file}`).split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_LINES);
});
