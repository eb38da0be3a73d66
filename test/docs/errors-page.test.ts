import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '@svc/contracts';
import { expect, it } from 'vitest';
import { ROOT, readPage } from './fences.ts';

const page = readPage('docs/errors.md');

/** Cells of the table rows that begin with such a code. */
function rowsOf(code: RegExp): string[][] {
  return page
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
    .filter(([first = '']) => code.test(first));
}

it('has every error code of the contract, and no other', () => {
  const rows = rowsOf(/^SVC-(?!POL-)/);
  const expected = Object.entries(ERROR_CODES).map(([code, { status, title }]) => [
    code,
    status === null ? 'in events' : `${status}`,
    title,
  ]);
  expect(rows.map((cells) => cells.slice(0, 3))).toEqual(expected);
  expect(rows.filter(([, , , remedy = '']) => remedy === '')).toEqual([]);
});

it('has every code that a configuration can be refused with, and no other', () => {
  const folder = join(ROOT, 'host', 'src', 'config');
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const used = sources.flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/SVC-POL-\d{3}/g) ?? []);
  expect(rowsOf(/^SVC-POL-/).map(([code]) => code)).toEqual([...new Set(used)].sort());
});
