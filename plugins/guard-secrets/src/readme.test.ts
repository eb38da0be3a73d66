import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SERVICES } from './detectors/formats.ts';
import { ENTITIES } from './detectors/index.ts';

const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');

test('the README lists every service', () => {
  expect(readme).toContain(`\n${SERVICES.join(', ')}. `);
});

test('the README lists every kind', () => {
  expect(ENTITIES.filter((entity) => !readme.includes(`\`${entity}\``))).toEqual([]);
});
