import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readPage } from './fences.ts';

const KERNEL = 'kernel/kernel/src';
const MAX_LINES = 5_250;
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

it(`has a kernel of at most ${MAX_LINES} lines`, () => {
  const lines = filesIn(KERNEL).map((file) => readPage(`${KERNEL}/${file}`).split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_LINES);
});

it(`has at most ${MAX_NAMES} names in its main entry`, () => {
  const names = [...readPage(`${KERNEL}/index.ts`).matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').filter((name) => name.trim() !== ''),
  );
  expect(names.length).toBeLessThanOrEqual(MAX_NAMES);
});
