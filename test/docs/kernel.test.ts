import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readPage } from './fences.ts';

const KERNEL = 'kernel/kernel/src';
const MAX_LINES = 5_260;
const MAX_LINES_OF_RUNS = 2_275;
const MAX_NAMES = 32;

const filesIn = (folder: string): string[] =>
  globSync('**/*.ts', {
    cwd: new URL(`../../${folder}`, import.meta.url),
    exclude: ['**/*.test.ts', '**/test-*.ts', '**/fixtures/**'],
  });

it('has a reading order that names every file of the runs once, and no other', () => {
  const named = [...readPage('kernel/kernel/README.md').matchAll(/^\d+\. `([\w-]+\.ts)`: \S/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(filesIn(`${KERNEL}/runs`).toSorted());
});

it.each([
  [KERNEL, MAX_LINES],
  [`${KERNEL}/runs`, MAX_LINES_OF_RUNS],
])('has in %s at most %i lines', (folder, most) => {
  const lines = filesIn(folder).map((file) => readPage(`${folder}/${file}`).split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(most);
});

it(`has at most ${MAX_NAMES} names in its main entry`, () => {
  const names = [...readPage(`${KERNEL}/index.ts`).matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').filter((name) => name.trim() !== ''),
  );
  expect(names.length).toBeLessThanOrEqual(MAX_NAMES);
});
