import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../docs/fences.ts';

const run = promisify(execFile);
const PROGRAM = join(ROOT, 'examples', 'embedded', 'main.ts');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-embedded-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('examples/embedded: the engine answers, masks and blocks in a program of about thirty lines, and its ledger is intact', async () => {
  const { stdout } = await run(process.execPath, [PROGRAM, join(folder, 'runs-db')]);
  const [answered = '', blocked = '', ...rest] = stdout.trimEnd().split('\n');
  expect(answered).toMatch(/^echo: When does <CODENAME> begin\? \(record 2, sha256:[0-9a-f]{64}\)$/);
  expect(blocked).toMatch(/^blocked by words: password \(record 3, sha256:[0-9a-f]{64}\)$/);
  expect(rest).toEqual([]);

  const verify = [join(ROOT, 'host', 'dist', 'main.js'), 'ledger', 'verify', '--json', join(folder, 'runs-db')];
  const verified = await run(process.execPath, verify).catch((error: { code: number; stdout: string }) => error);
  // Whole, and held to no checkpoint.
  expect(verified).toMatchObject({ code: 3 });
  const head = /sha256:[0-9a-f]{64}/.exec(blocked)?.[0];
  expect(JSON.parse(verified.stdout)).toMatchObject({ records: 3, head });

  const lines = (await readFile(PROGRAM, 'utf8')).trimEnd().split('\n');
  expect(lines.length).toBeLessThan(40);
});
