import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findPackage } from './package-json.ts';

it('a place that cannot be read counts as empty, and the next place is tried', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-packages-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [inner, there] = [join(folder, 'project', 'node_modules'), join(folder, 'node_modules', 'guard')];
  for (const made of [inner, there]) await mkdir(made, { recursive: true });
  await writeFile(join(there, 'package.json'), '{}');
  // A link to itself cannot be followed, even by root.
  await symlink('guard', join(inner, 'guard'));
  expect(findPackage('guard', join(folder, 'project', 'package.json'))).toBe(there);
});
