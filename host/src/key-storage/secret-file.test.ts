import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { changeSecretFile, secretFile } from './secret-file.ts';

const PURPOSE = { what: 'the secret', remedy: 'none' };

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-secret-file-'));
  file = join(folder, 'a.key');
  await writeFile(file, 'first', { mode: 0o600 });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const text = () => readFile(file, 'utf8');

it('a process that was stopped while changing the file does not undo the change of another process', async () => {
  const changes: Promise<void>[] = [];
  let calls = 0;
  await changeSecretFile(file, (before) => {
    calls += 1;
    // Another process changes the file after this one has read it and before this one writes it.
    if (calls === 1) {
      changes.push(changeSecretFile(file, (found) => `${found}+other`));
      return `${before}+one`;
    }
    return `${before}+one`;
  });
  await Promise.all(changes);
  const found = await text();
  expect(['first+other+one', 'first+one+other']).toContain(found);
  expect(await readdir(folder)).toEqual(['a.key']);
});

it('concurrent changes by several processes are all kept', async () => {
  const script = `
    import { changeSecretFile } from ${JSON.stringify(join(import.meta.dirname, 'secret-file.ts'))};
    for (let n = 0; n < 20; n += 1) {
      for (;;) {
        try {
          await changeSecretFile(process.argv[1], (text) => text + ' ' + process.argv[2] + n);
          break;
        } catch (error) {
          if (!error.message.includes('keeps being changed')) throw error;
        }
      }
    }`;
  const children = ['a', 'b', 'c'].map((name) =>
    spawn(process.execPath, ['--input-type=module', '-e', script, file, name], { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  expect(codes).toEqual([0, 0, 0]);
  const words = (await text()).split(' ').slice(1).sort();
  const expected = ['a', 'b', 'c'].flatMap((name) => Array.from({ length: 20 }, (_, n) => `${name}${n}`)).sort();
  expect(words).toEqual(expected);
});

it('the next change removes the leftovers of a crash, from any release, and no other file', async () => {
  const left = ['a.key.4711.new', `a.key.${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}.new`];
  const others = ['a.key.mine.new', 'b.key.4711.new'];
  for (const name of [...left, ...others]) await writeFile(join(folder, name), 'secret');
  await changeSecretFile(file, () => 'second');
  expect((await readdir(folder)).sort()).toEqual(['a.key', ...others]);
});

it('a crash at the end of the first start loses nothing: the second name is removed, and the content stays', async () => {
  await link(file, join(folder, 'a.key.4711.new'));
  await changeSecretFile(file, (found) => `${found}+`);
  expect(await text()).toBe('first+');
  expect(await readdir(folder)).toEqual(['a.key']);
});

it('a symbolic link stays a link', async () => {
  const named = join(folder, 'linked');
  await symlink(file, named);
  await changeSecretFile(named, () => 'second');
  expect(await text()).toBe('second');
  expect(await readFile(named, 'utf8')).toBe('second');
  await changeSecretFile(file, () => 'third');
  expect(await readFile(named, 'utf8')).toBe('third');
});

it('the permissions stay the same', async () => {
  await chmod(file, 0o640);
  await changeSecretFile(file, () => 'second');
  expect((await stat(file)).mode & 0o777).toBe(0o640);
});

it.skipIf(process.getuid?.() !== 0)('the owner stays the same after a change by an administrator', async () => {
  await chown(file, 65534, 65534);
  await changeSecretFile(file, () => 'second');
  expect(await stat(file)).toMatchObject({ uid: 65534, gid: 65534 });
});

it('an unchanged file is not written', async () => {
  const { ino } = await stat(file);
  await changeSecretFile(file, () => null);
  expect((await stat(file)).ino).toBe(ino);
  expect(await readdir(folder)).toEqual(['a.key']);
});

it('an existing file is read, and nothing is created next to it', async () => {
  expect(await secretFile(file, 'other', PURPOSE)).toBe('first');
  expect(await readdir(folder)).toEqual(['a.key']);
});
