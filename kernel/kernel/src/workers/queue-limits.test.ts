import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WorkersBusy } from './guard-workers.ts';
import { PoolTask } from './pool-task.ts';
import { QueueLimits } from './queue-limits.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function taskOf(principal_id: string, { bytes = 0, admitted = false } = {}, giveUp = (_: Error): void => undefined): PoolTask {
  const signal = new AbortController().signal;
  const [resumed, suspended] = [() => undefined, () => undefined];
  const task = { principal_id, moduleUrl: '', input: new Uint8Array(bytes), signal, admitted, resumed, suspended };
  return new PoolTask(1, task, 0, giveUp);
}

describe('the queue is full', () => {
  it('for a principal with 1,024 waiting tasks, and not for another one', () => {
    const limits = new QueueLimits();
    const waiting = Array.from({ length: 1024 }, () => taskOf('heavy'));
    for (const task of waiting) {
      expect(limits.isFullFor('heavy')).toBe(false);
      limits.entered(task);
    }
    expect([limits.isFullFor('heavy'), limits.isFullFor('neighbour')]).toEqual([true, false]);
    limits.entered(taskOf('neighbour'));
    // Each principal now has half of the queue.
    for (const task of waiting.slice(0, 512)) limits.left(task);
    expect([limits.isFullFor('heavy'), limits.isFullFor('neighbour')]).toEqual([true, false]);
    for (const task of waiting.slice(500)) limits.left(task);
    expect(limits.isFullFor('heavy')).toBe(false);
  });

  it('for a principal with 256 MiB of waiting tasks', () => {
    const limits = new QueueLimits();
    for (let count = 0; count < 4; count++) limits.entered(taskOf('heavy', { bytes: 67_108_864 }));
    expect([limits.isFullFor('heavy'), limits.isFullFor('neighbour')]).toEqual([true, false]);
  });

  it('for a principal whose small task has waited for 5 s, but not whose large task has', async () => {
    const limits = new QueueLimits();
    const small = taskOf('a');
    limits.entered(taskOf('b', { bytes: 1_000_000 }));
    limits.entered(small);
    await vi.advanceTimersByTimeAsync(5001);
    expect([limits.isFullFor('a'), limits.isFullFor('b'), limits.isFullFor('c')]).toEqual([true, false, false]);
    limits.left(small);
    expect(limits.isFullFor('a')).toBe(false);
  });
});

it('a task waits at most 10 s, or 30 s if a paid model call may be lost', async () => {
  const given_up: [string, Error][] = [];
  taskOf('a', {}, (why) => given_up.push(['plain', why]));
  taskOf('a', { admitted: true }, (why) => given_up.push(['admitted', why]));
  await vi.advanceTimersByTimeAsync(9999);
  expect(given_up).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(given_up).toEqual([['plain', expect.any(WorkersBusy)]]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(given_up.map(([which]) => which)).toEqual(['plain', 'admitted']);
});

it('a task that ended or was aborted leaves no timer behind', async () => {
  const [done, failed] = [taskOf('a'), taskOf('a')];
  done.done('found');
  failed.failed(new Error('given up'));
  await expect(done.settled).resolves.toBe('found');
  await expect(failed.settled).rejects.toThrow();
  expect(vi.getTimerCount()).toBe(0);
});
