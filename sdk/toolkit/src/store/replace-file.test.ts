import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceFile } from './replace-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-replace-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('replaces a file completely, even after a crash, readable by its owner only', async () => {
  const file = join(folder, 'file');
  await writeFile(`${file}.new`, 'left by a crash, and longer');
  await replaceFile(file, 'one');
  await replaceFile(file, 'two');
  expect(await readFile(file, 'utf8')).toBe('two');
  expect((await stat(file)).mode & 0o077).toBe(0);
  expect(await readdir(folder)).toEqual(['file']);
});

it('keeps the existing file if it cannot be replaced', async () => {
  await expect(replaceFile(join(folder, 'absent', 'file'), 'x')).rejects.toThrow('ENOENT');
  expect(await readdir(folder)).toEqual([]);
});
