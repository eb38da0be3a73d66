import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { instanceName, processHasEnded } from './instance-name.ts';

it('names differ, and none belongs to a process that has ended', () => {
  const names = [instanceName(), instanceName()];
  expect(new Set(names).size).toBe(2);
  expect(names.filter(processHasEnded)).toEqual([]);
});

it('a name without information about its process is undecided', () => {
  expect(['', 'b', 'a.1.2.3.4', '0b5f0d3e-7d5f-4a43-9d57-0a6b3c2d1e0f'].filter(processHasEnded)).toEqual([]);
});

describe.runIf(process.platform === 'linux')('on Linux', () => {
  const [boot, namespace, pid, started, rest] = instanceName().split('.');

  it('a process that has ended is recognised', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    const name = [boot, namespace, child.pid, started, rest].join('.');
    await once(child, 'exit');
    expect(processHasEnded(name)).toBe(true);
  });

  it('a reused pid belongs to another process', () => {
    expect(processHasEnded([boot, namespace, pid, Number(started) - 1, rest].join('.'))).toBe(true);
  });

  it.each([
    ['machine', '0b5f0d3e-7d5f-4a43-9d57-0a6b3c2d1e0f', namespace],
    ['container', boot, Number(namespace) + 1],
  ])('a process of another %s is undecided', (_, boots, namespaces) => {
    expect(processHasEnded([boots, namespaces, pid, Number(started) - 1, rest].join('.'))).toBe(false);
  });
});
