import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runsDb } from '../config/runs-db.ts';
import { contentKeys } from './content-key.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-content-key-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const settings = (name = 'content.key') => ({
  content_key: null,
  older_content_keys: [],
  content_key_file: join(folder, name),
});
const open = (name?: string) => contentKeys(settings(name), runsDb(join(folder, 'runs-db')));

it('is created once, readable by its owner only, and is the same at every start', async () => {
  const first = await open();
  expect((await open()).newest.keyFor('run')).toEqual(first.newest.keyFor('run'));
  expect((await stat(join(folder, 'content.key'))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['content.key']);
});

it('what one process forgot is neither restored nor kept by another, and nothing else is lost', async () => {
  const [one, other] = [await open(), await open()];
  const kept = one.newest.keyFor('c');
  await one.forget?.(['a']);
  await other.forget?.(['b']);
  for (const { newest } of [other, await open()]) {
    expect([newest.keyFor('a'), newest.keyFor('b')]).toEqual([null, null]);
    expect(newest.keyFor('c')).toEqual(kept);
  }
  expect(await readdir(folder)).toEqual(['content.key', 'content.key.parts']);
  expect((await stat(join(folder, 'content.key'))).mode & 0o777).toBe(0o600);
});

it('an exchanged file is not overwritten', async () => {
  const keys = await open();
  await rm(join(folder, 'content.key'));
  await open();
  const before = await readFile(join(folder, 'content.key'), 'utf8');
  await expect(keys.forget?.(['a'])).rejects.toThrow();
  expect(await readFile(join(folder, 'content.key'), 'utf8')).toBe(before);
});

it('no key is written for a temporary store', async () => {
  const keys = await contentKeys(settings(), runsDb(join(folder, 'runs-db'), true));
  await keys.forget?.(['a']);
  expect(keys.newest.keyFor('a')).toBeNull();
  expect(await readdir(folder)).toEqual([]);
});

it('a missing folder is reported with the remedy', async () => {
  await expect(open('none/content.key')).rejects.toThrow(/store\.content_key/);
});
