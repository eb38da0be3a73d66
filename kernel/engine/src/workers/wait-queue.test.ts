import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WorkersBusy } from './guard-workers.ts';
import { WaitQueue } from './wait-queue.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const NEVER = new AbortController().signal;

/** Asks to be let through; what became of it is in the list. */
function asking(queue: WaitQueue, { admitted = false, signal = NEVER, name = 'in' } = {}, seen: string[] = []): string[] {
  queue.enter({ admitted, signal }).then(
    () => seen.push(name),
    (error: unknown) => seen.push(error instanceof WorkersBusy ? 'busy' : 'given up'),
  );
  return seen;
}

const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

it('lets as many through as it has room for, the others in their order', async () => {
  const queue = new WaitQueue(2);
  const seen: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) asking(queue, { name }, seen);
  await settled();
  expect(seen).toEqual(['a', 'b']);
  queue.leave();
  await settled();
  expect(seen).toEqual(['a', 'b', 'c']);
  for (let left = 0; left < 3; left++) queue.leave();
  asking(queue, { name: 'e' }, seen);
  await settled();
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
});

describe('is full', () => {
  it('with 1,024 that wait; what was admitted waits all the same', async () => {
    const queue = new WaitQueue(1);
    for (let count = 0; count < 1024; count++) asking(queue);
    expect(queue.isFull).toBe(false);
    asking(queue);
    expect(queue.isFull).toBe(true);
    const refused = asking(queue);
    const admitted = asking(queue, { admitted: true });
    await settled();
    expect([refused, admitted]).toEqual([['busy'], []]);
    for (let count = 0; count < 1025; count++) queue.leave();
    await settled();
    expect(admitted).toEqual(['in']);
  });

  it('where the oldest has waited for 5 s, until it is served', async () => {
    const queue = new WaitQueue(1);
    asking(queue);
    const oldest = asking(queue);
    await vi.advanceTimersByTimeAsync(5001);
    expect(queue.isFull).toBe(true);
    queue.leave();
    await settled();
    expect([oldest, queue.isFull]).toEqual([['in'], false]);
  });
});

it('nobody waits for ever: 10 s, and 30 s where a model may be paid', async () => {
  const queue = new WaitQueue(1);
  asking(queue);
  const [plain, admitted] = [asking(queue), asking(queue, { admitted: true })];
  await vi.advanceTimersByTimeAsync(9999);
  expect([plain, admitted]).toEqual([[], []]);
  await vi.advanceTimersByTimeAsync(1);
  expect([plain, admitted]).toEqual([['busy'], []]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(admitted).toEqual(['busy']);
});

it('who gives up leaves no place taken and no timer behind', async () => {
  const queue = new WaitQueue(1);
  asking(queue);
  const given_up = new AbortController();
  const [waiting, next] = [asking(queue, { signal: given_up.signal }), asking(queue)];
  given_up.abort();
  queue.leave();
  await settled();
  expect([waiting, next]).toEqual([['given up'], ['in']]);
  expect(vi.getTimerCount()).toBe(0);
  expect(asking(queue, { signal: AbortSignal.abort() })).toEqual([]);
});
