import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tooOld } from './node-version.ts';

it.each([
  ['20.20.2', true],
  ['22.18.9', true],
  ['22.19.0', false],
  ['22.20.0', false],
  ['24.21.0', false],
])('Node %s is too old: %s', (version, old) => {
  expect(tooOld(version, null) !== null).toBe(old);
});

it('requires the version in package.json', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const oldest = `${engines.node.slice(1, '22.19'.length + 1)}.0`;
  expect(tooOld(oldest, null)).toBeNull();
  expect(tooOld(oldest.replace('19', '18'), null)).not.toBeNull();
});

it('names the place of a newer Node, if one is known', () => {
  expect(tooOld('20.20.2', '/srv/svc/node_modules/.bin')).toContain('export PATH="/srv/svc/node_modules/.bin:$PATH"');
});
