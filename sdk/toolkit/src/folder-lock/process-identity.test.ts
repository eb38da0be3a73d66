import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isRunning, ownStart } from './process-identity.ts';

test('this process counts as running', () => {
  expect(ownStart()).toMatch(/^\w+$/);
  expect(isRunning(process.pid, ownStart())).toBe(true);
});

test.runIf(process.platform === 'linux')('a process with the same pid that started at another time does not', () => {
  expect(isRunning(process.pid, `${ownStart()}1`)).toBe(false);
});

test('a process that cannot be checked counts as running', () => {
  expect(isRunning(process.pid, '0')).toBe(true);
});

test('a process that has ended does not', async () => {
  const child = spawn(process.execPath, ['--eval', '0']);
  await once(child, 'exit');
  expect(isRunning(child.pid ?? 0, '0')).toBe(false);
});
