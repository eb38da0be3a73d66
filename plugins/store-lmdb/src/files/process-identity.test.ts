import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isRunning, ownStart } from './process-identity.ts';

test('this process runs', () => {
  expect(ownStart()).toMatch(/^\w+$/);
  expect(isRunning(process.pid, ownStart())).toBe(true);
});

test.runIf(process.platform === 'linux')('a process of the same pid that started at another time does not', () => {
  expect(isRunning(process.pid, `${ownStart()}1`)).toBe(false);
});

test('a process in doubt runs', () => {
  expect(isRunning(process.pid, '0')).toBe(true);
});

test('a process that has ended does not run', async () => {
  const child = spawn(process.execPath, ['--eval', '0']);
  await once(child, 'exit');
  expect(isRunning(child.pid ?? 0, '0')).toBe(false);
});
