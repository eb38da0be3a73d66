import { TimeoutBudget, withTimeout } from '@svc/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const NEVER = new AbortController().signal;
const never = new Promise<never>(() => undefined);
const budgetOf = (limit_ms: number): TimeoutBudget => new TimeoutBudget({ monotonic: () => performance.now() }, limit_ms);

/** The result of a race so far. */
function ending(race: Promise<{ done: boolean }>): string[] {
  const seen: string[] = [];
  race.then(({ done }) => seen.push(done ? 'done' : 'over'));
  return seen;
}

it('does not count while it is paused, however many pauses overlap', async () => {
  const budget = budgetOf(100);
  const seen = ending(budget.race(never, NEVER));
  await vi.advanceTimersByTimeAsync(60);
  budget.pause();
  await vi.advanceTimersByTimeAsync(5000);
  budget.pause();
  budget.resume();
  await vi.advanceTimersByTimeAsync(5000);
  expect([seen, Math.round(budget.used_ms), budget.isSpent]).toEqual([[], 60, false]);
  budget.resume();
  await vi.advanceTimersByTimeAsync(39);
  expect(seen).toEqual([]);
  await vi.advanceTimersByTimeAsync(2);
  expect(seen).toEqual(['over']);
});

it('may be paused before the wait begins', async () => {
  const budget = budgetOf(100);
  budget.pause();
  const seen = ending(budget.race(never, NEVER));
  await vi.advanceTimersByTimeAsync(5000);
  expect(seen).toEqual([]);
  budget.resume();
  await vi.advanceTimersByTimeAsync(101);
  expect(seen).toEqual(['over']);
});

it('ends with the signal, paused or not, and leaves no timer behind', async () => {
  const abort = new AbortController();
  const budget = budgetOf(100);
  budget.pause();
  const seen = ending(budget.race(never, abort.signal));
  abort.abort();
  await vi.advanceTimersByTimeAsync(0);
  budget.resume();
  expect([seen, vi.getTimerCount()]).toEqual([['over'], 0]);
});

it('ends a second wait on time, even if the first wait, which lost, settles in the meantime', async () => {
  const budget = budgetOf(100);
  const abort = new AbortController();
  const loser = Promise.withResolvers<void>();
  const first = ending(budget.race(loser.promise, abort.signal));
  abort.abort();
  const second = ending(budget.race(never, NEVER));
  loser.resolve();
  await vi.advanceTimersByTimeAsync(101);
  expect([first, second]).toEqual([['over'], ['over']]);
});

it('accepts an answer that arrived while the event loop was blocked', async () => {
  vi.useRealTimers();
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => port1.addEventListener('message', resolve, { once: true }));
  port1.start();
  const seen = budgetOf(20).race(answer, NEVER);
  port2.postMessage('answer');
  const until = performance.now() + 40;
  while (performance.now() < until);
  expect(await seen).toMatchObject({ done: true });
  port1.close();
});

it('withTimeout returns the value, or reports that the time is over or that the signal came', async () => {
  vi.useRealTimers();
  expect(await withTimeout(Promise.resolve(1), 1000, NEVER)).toEqual({ done: true, value: 1 });
  expect(await withTimeout(new Promise(() => undefined), 1, NEVER)).toEqual({ done: false });
  expect(await withTimeout(new Promise(() => undefined), 3_600_000, AbortSignal.abort())).toEqual({ done: false });
  await expect(withTimeout(Promise.reject(new Error('x')), 1000, NEVER)).rejects.toThrow('x');
});
