import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HELP } from './options.ts';
import type { Report } from './report.ts';
import { KINDS } from './requests.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const COMMAND = ['--conditions=@svc/source', MAIN];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('sends load, makes faults, and finds that every law holds', { timeout: 300_000 }, async () => {
  const json = join(folder, 'soak.json');
  const args = ['--seconds', '30', '--rate', '10', '--seed', '41', '--folder', folder, '--json', json];
  const { stdout } = await promisify(execFile)(process.execPath, [...COMMAND, ...args]).catch(
    (error: { stdout: string }) => error,
  );
  const report: Report = JSON.parse(await readFile(json, 'utf8'));
  expect(report.laws.filter(({ holds }) => !holds)).toEqual([]);
  expect(report.laws.length).toBeGreaterThan(15);
  expect(Object.keys(report.faults).length).toBeGreaterThan(3);
  expect(report.faults).toMatchObject({ 'kill gateway': 1, 'receiver away': 3 });
  expect(report.kinds.reduce((sum, { requests }) => sum + requests, 0)).toBe(300);
  expect(report.kinds.find(({ kind }) => kind === 'chat')?.answered).toBeGreaterThan(0);
  for (const { kind } of report.kinds) expect(Object.keys(KINDS)).toContain(kind);
  expect(stdout).toContain('holds ');
});

it('prints its options without load', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...COMMAND, '--help']);
  expect(stdout).toBe(HELP);
});

it('refuses an invalid option as a usage error', async () => {
  const refused = promisify(execFile)(process.execPath, [...COMMAND, '--rate', 'fast']);
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('--rate') });
});
