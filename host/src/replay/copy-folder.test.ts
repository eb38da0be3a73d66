import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ownStart } from '@svc/toolkit/folder-lock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newCopyFolder } from './copy-folder.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-copies-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

it('only its user can read the folder', async () => {
  expect(statSync(await newCopyFolder(parent)).mode & 0o777).toBe(0o700);
});

it('removes what an ended process left behind, and nothing else', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const left = `svc-replay-${pid}-${ownStart()}-abcdef`;
  mkdirSync(join(parent, left, 'runs-db'), { recursive: true });
  writeFileSync(join(parent, left, 'runs-db', 'data.mdb'), 'data');
  const own = basename(await newCopyFolder(parent));
  expect(readdirSync(parent)).toEqual([own]);
  const others = ['svc-replay-others', `svc-replay-${pid}-x`, `svc-copy-${pid}-${ownStart()}-abcdef`];
  for (const name of others) mkdirSync(join(parent, name));
  symlinkSync(join(parent, 'svc-replay-others'), join(parent, left));
  const second = basename(await newCopyFolder(parent));
  expect(readdirSync(parent).toSorted()).toEqual([own, second, left, ...others].toSorted());
});
