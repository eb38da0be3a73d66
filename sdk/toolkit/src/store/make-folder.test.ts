import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from './make-folder.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-make-folder-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it('creates missing folders for the owner only, and leaves existing ones', () => {
  const path = join(folder(), 'a', 'b');
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

it("throws the system's error, also below a file", () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(join(file, 'x'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
});

it.skipIf(process.platform !== 'linux')('returns even if folders cannot be created', () => {
  expect(() => makeFolder('/proc/none/x')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});
