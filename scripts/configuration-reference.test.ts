import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { REFERENCE_PAGE, withReference } from './configuration-reference.ts';

it('docs/configuration.md is what the schema says (else: npm run docs)', () => {
  const page = readFileSync(REFERENCE_PAGE, 'utf8');
  expect(page).toBe(withReference(page));
});

it('refuses a page without its mark', () => {
  expect(() => withReference('# Configuration\n')).toThrow(/exactly one line/);
});
