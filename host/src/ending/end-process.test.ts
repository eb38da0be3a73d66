import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const FOLDER = mkdtempSync(join(tmpdir(), 'svc-end-'));
const PIPE = join(FOLDER, 'pipe');
const END = join(import.meta.dirname, 'end-process.ts');

/** Runs a program. Returns its exit code, and whether Node ended it rather than another program that replaced it. */
function ended(code: string): { status: number | null; byNode: boolean } {
  const program = `
    import { open, writeSync } from 'node:fs';
    import { endProcess } from ${JSON.stringify(END)};
    process.on('exit', () => writeSync(1, 'by Node'));
    ${code}`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  return { status, byNode: stdout === 'by Node' };
}

describe.skipIf(process.execve === undefined)('endProcess', () => {
  afterAll(() => rmSync(FOLDER, { recursive: true }));

  it('lets Node end the process, also after a request whose callback calls it', () => {
    expect(ended('endProcess(3, false);')).toEqual({ status: 3, byNode: true });
    expect(ended("open('/dev/null', () => endProcess(3, false));")).toEqual({ status: 3, byNode: true });
  });

  it('replaces the process if a thread waits for a pipe without a reader, or if a part has not ended', () => {
    execFileSync('mkfifo', [PIPE]);
    expect(ended(`open(${JSON.stringify(PIPE)}, 'w', () => undefined); endProcess(3, false);`)).toEqual({
      status: 3,
      byNode: false,
    });
    expect(ended('endProcess(3, true);')).toEqual({ status: 3, byNode: false });
  });
});
