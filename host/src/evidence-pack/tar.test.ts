import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { writeTar } from './tar.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-tar-'));
afterAll(() => rmSync(folder, { recursive: true }));
const NAMES = ['a', 'deep/b', 'empty'];

it('is read by tar, and has the same bytes for the same files, whatever their times', async () => {
  const source = join(folder, 'source');
  mkdirSync(join(source, 'deep'), { recursive: true });
  const contents: Record<string, Buffer> = { a: Buffer.alloc(512, 'x'), 'deep/b': Buffer.from('ü\n'), empty: Buffer.alloc(0) };
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(source, name), content);
  const [one, two] = [join(folder, 'one.tar.gz'), join(folder, 'two.tar.gz')];
  await writeTar(one, source, NAMES, 'pack');
  for (const name of NAMES) utimesSync(join(source, name), 1, 1);
  await writeTar(two, source, NAMES, 'pack');
  expect(readFileSync(one).equals(readFileSync(two))).toBe(true);
  expect(spawnSync('tar', ['-xzf', one, '-C', folder]).status).toBe(0);
  for (const name of NAMES) expect(readFileSync(join(folder, 'pack', name))).toEqual(contents[name]);
  await expect(writeTar(one, source, NAMES, 'pack')).rejects.toThrow('EEXIST');
  await expect(writeTar(join(folder, 'three'), source, NAMES, 'x'.repeat(120))).rejects.toThrow(RangeError);
  expect(existsSync(join(folder, 'three'))).toBe(false);
});
