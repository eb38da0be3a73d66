import { expect, it } from 'vitest';
import { pep440, VERSION } from './version.ts';

it('turns a semver release into PEP 440', () => {
  expect(['2.0.0-alpha.1', '2.0.0-beta.2', '2.1.0-rc.3', '2.1.0'].map(pep440)).toEqual([
    '2.0.0a1',
    '2.0.0b2',
    '2.1.0rc3',
    '2.1.0',
  ]);
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
});
