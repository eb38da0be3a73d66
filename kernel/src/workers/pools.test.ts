import { afterEach, expect, it } from 'vitest';
import { PiscinaPools } from './pools.ts';

const task = new URL('./fixtures/task.ts', import.meta.url).href;
const slow = new URL('./fixtures/slow-to-load.ts', import.meta.url).href;
const isWarm = new URL('./fixtures/is-warm.ts', import.meta.url).href;
const pools = new PiscinaPools();
afterEach(() => pools.close());

it('runs a module on its input in another thread', async () => {
  await expect(pools.pool('a').run(task, { what: 'double', n: 21 }, { timeout_ms: 10_000 })).resolves.toBe(42);
});

it('ends a task that spins past its limit, and serves the one that waited behind it', async () => {
  const pool = pools.pool('b', { threads: 1 });
  const spinning = pool.run(task, { what: 'spin', n: 0 }, { timeout_ms: 300 });
  // Waits longer in the queue than its own limit, which does not count.
  const waiting = pool.run(task, { what: 'double', n: 4 }, { timeout_ms: 250 });
  await expect(spinning).rejects.toMatchObject({ kind: 'timeout' });
  await expect(waiting).resolves.toBe(8);
});

it('does not count the loading of a module against the task', async () => {
  await expect(pools.pool('e').run(slow, null, { timeout_ms: 200 })).resolves.toBe('ready');
});

it('loads what is to be warm before a thread takes its first task', async () => {
  await expect(pools.pool('f', { warm_up: [slow] }).run(isWarm, null, { timeout_ms: 200 })).resolves.toBe(true);
  await expect(pools.pool('g').run(isWarm, null, { timeout_ms: 200 })).resolves.toBe(false);
});

it('tells a failure by name, never by its text', async () => {
  const failure = await pools
    .pool('c')
    .run(task, { what: 'throw', n: 0 }, { timeout_ms: 10_000 })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'failed', cause: { message: 'RangeError' } });
});

it('gives up for its caller', async () => {
  const caller = new AbortController();
  const spinning = pools.pool('d').run(task, { what: 'spin', n: 0 }, { timeout_ms: 60_000, signal: caller.signal });
  caller.abort();
  await expect(spinning).rejects.toMatchObject({ kind: 'aborted' });
});

it('a module that cannot be warmed up fails its tasks, not the process', async () => {
  const broken = new URL('./fixtures/broken.ts', import.meta.url).href;
  await expect(
    pools.pool('h', { warm_up: [broken] }).run(task, { what: 'double', n: 1 }, { timeout_ms: 10_000 }),
  ).rejects.toMatchObject({
    kind: 'failed',
  });
});
