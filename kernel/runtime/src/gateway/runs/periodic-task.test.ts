import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PeriodicTask } from './periodic-task.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that ends when the test lets it end. */
function scene({ retry_ms }: { retry_ms?: number } = {}) {
  const begun: PromiseWithResolvers<void>[] = [];
  const failures: unknown[] = [];
  const work = (): Promise<void> => {
    const one = Promise.withResolvers<void>();
    begun.push(one);
    return one.promise;
  };
  const again = retry_ms === undefined ? {} : { retry_ms };
  const recurring = new PeriodicTask(work, { every_ms: 1000, ...again, failed: (error) => failures.push(error) });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const done = async (): Promise<void> => {
    begun.at(-1)?.resolve();
    await pass(0);
  };
  const fails = async (): Promise<void> => {
    begun.at(-1)?.reject(new Error('no'));
    await pass(0);
  };
  return { recurring, begun, failures, pass, done, fails };
}

it('never runs twice at once, however long it takes, and the wait begins when it ends', async () => {
  const { recurring, begun, pass, done } = scene();
  recurring.start();
  await pass(999);
  expect(begun).toHaveLength(0);
  await pass(10_000);
  expect(begun).toHaveLength(1);
  await done();
  await pass(999);
  expect(begun).toHaveLength(1);
  await pass(1);
  expect(begun).toHaveLength(2);
});

it('reports a failure and runs again', async () => {
  const { recurring, begun, failures, pass, fails } = scene();
  recurring.start();
  await pass(1000);
  await fails();
  expect(failures).toEqual([new Error('no')]);
  await pass(1000);
  expect(begun).toHaveLength(2);
});

it('may run again sooner after a failure', async () => {
  const { recurring, begun, pass, fails, done } = scene({ retry_ms: 10 });
  recurring.start();
  await pass(1000);
  await fails();
  await pass(10);
  expect(begun).toHaveLength(2);
  await done();
  await pass(999);
  expect(begun).toHaveLength(2);
});

it('runs once more if it is requested while it runs', async () => {
  const { recurring, begun, pass, done } = scene();
  void recurring.now();
  void recurring.now();
  void recurring.now();
  await pass(0);
  expect(begun).toHaveLength(1);
  await done();
  expect(begun).toHaveLength(2);
  await done();
  await pass(999);
  expect(begun).toHaveLength(2);
});

it('after a stop waits for the running task and starts no other', async () => {
  const { recurring, begun, pass, done } = scene();
  recurring.start();
  await pass(1000);
  void recurring.now();
  let stopped = false;
  const stopping = recurring.stop().then(() => {
    stopped = true;
  });
  await pass(5000);
  expect(stopped).toBe(false);
  await done();
  await stopping;
  await recurring.now();
  await pass(5000);
  expect(begun).toHaveLength(1);
});
