import { afterEach, expect, it } from 'vitest';
import type { Turns } from './fixtures/turns.ts';
import { GuardPool } from './guard-pool.ts';
import type { GuardTask } from './guard-workers.ts';

// No test here depends on time. If a task does not get its turn, the test never ends.

const urlOf = (name: string): string => new URL(`./fixtures/${name}.ts`, import.meta.url).href;
const cells = (count: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * count));

let pool = new GuardPool();
afterEach(() => pool.close());

class Scene {
  readonly open = cells(1);
  readonly order = cells(128);

  constructor(threads: number) {
    pool = new GuardPool();
    pool.size = threads;
  }

  /** `bytes`: makes the task large. */
  run(principal_id: string, number: number, does: Turns['does'], fields: Partial<GuardTask> & { bytes?: number } = {}) {
    const { bytes = 0, ...task } = fields;
    const input = { open: this.open, order: this.order, number, does, filling: new Uint8Array(bytes) };
    return pool.run({
      principal_id,
      moduleUrl: urlOf('turns'),
      input,
      signal: new AbortController().signal,
      admitted: false,
      resumed: () => undefined,
      suspended: () => undefined,
      ...task,
    });
  }

  /** Resolves when the task has its thread. */
  async begun(principal_id: string, number: number, does: Turns['does'], fields: { bytes?: number } = {}) {
    const running = Promise.withResolvers<void>();
    const done = this.run(principal_id, number, does, { ...fields, resumed: running.resolve });
    await running.promise;
    return { done };
  }

  release(): void {
    Atomics.store(this.open, 0, 1);
    Atomics.notify(this.open, 0);
  }

  get numbers(): number[] {
    return [...this.order.slice(1, 1 + (this.order[0] ?? 0))];
  }
}

it.each([1, 2])('a principal gets a turn although the tasks of another one never end, on %d threads', async (threads) => {
  const scene = new Scene(threads);
  const heavy = await Promise.all(Array.from({ length: threads }, (_, n) => scene.begun('heavy', n, 'yield')));
  const waiting = Array.from({ length: 4 }, (_, n) => scene.run('heavy', 10 + n, 'yield'));
  await scene.run('neighbour', 99, 'go');
  scene.release();
  await Promise.all([...heavy.map(({ done }) => done), ...waiting]);
});

it('large tasks begin one at a time in a thread, next to small tasks', async () => {
  const scene = new Scene(1);
  const large = await scene.begun('heavy', 1, 'yield', { bytes: 2_000_000 });
  const other = scene.run('other', 2, 'go', { bytes: 2_000_000 });
  await scene.run('heavy', 3, 'go');
  await scene.run('other', 4, 'go');
  expect(scene.numbers).toEqual([1, 3, 4]);
  scene.release();
  await Promise.all([large.done, other]);
  expect(scene.numbers).toEqual([1, 3, 4, 2]);
});

it.each([700_000, 1_200_000])(
  'a large task of %d bytes begins although the small tasks of a neighbour never leave the thread',
  async (bytes) => {
    const scene = new Scene(1);
    const small = [await scene.begun('neighbour', 1, 'yield', { bytes: 200_000 })];
    for (const number of [2, 3, 4, 5, 6]) small.push(await scene.begun('neighbour', number, 'yield', { bytes: 200_000 }));
    const waiting = scene.run('neighbour', 7, 'yield', { bytes: 200_000 });
    await scene.run('a', 8, 'go', { bytes });
    scene.release();
    await Promise.all([...small.map(({ done }) => done), waiting]);
    expect(scene.numbers).toEqual([1, 2, 3, 4, 5, 6, 8, 7]);
  },
);

it('a principal gets a turn in a thread where another principal began as many tasks as it may', async () => {
  const scene = new Scene(1);
  const begun = await Promise.all(Array.from({ length: 64 }, (_, n) => scene.begun('neighbour', n + 1, 'yield')));
  const waiting = scene.run('neighbour', 65, 'yield');
  await scene.run('a', 66, 'go');
  expect(scene.numbers.slice(64)).toEqual([66]);
  scene.release();
  await Promise.all([...begun.map(({ done }) => done), waiting]);
});

it('the tasks of a principal continue in a thread while another principal works there, and the other way round', async () => {
  const scene = new Scene(2);
  const waiting = new Set<number>();
  const begun = new Set<number>();
  const all = Promise.withResolvers<void>();
  const goneOn = Promise.withResolvers<void>();
  let left: Set<number> | undefined;
  const tasks = ['a', 'a', 'b', 'b'].map((principal_id, n) =>
    scene.run(principal_id, n, 'yield', {
      suspended: () => waiting.add(n),
      resumed: () => {
        waiting.delete(n);
        if (begun.add(n).size === 4) all.resolve();
        if (left?.delete(n) === true && left.size === 0) goneOn.resolve();
      },
    }),
  );
  await all.promise;
  left = new Set(waiting);
  await goneOn.promise;
  scene.release();
  await Promise.all(tasks);
});

it('principals take turns, however many tasks each of them has', async () => {
  const scene = new Scene(1);
  const first = await scene.begun('a', 1, 'hold');
  const rest = [
    ...[2, 3, 4].map((number) => scene.run('a', number, 'go')),
    ...[11, 12].map((number) => scene.run('b', number, 'go')),
    scene.run('c', 21, 'go'),
  ];
  scene.release();
  await Promise.all([first.done, ...rest]);
  expect(scene.numbers).toEqual([1, 11, 21, 2, 12, 3, 4]);
});

it('a task begins again if another task ends its thread', async () => {
  const scene = new Scene(1);
  const yielded = Promise.withResolvers<void>();
  const innocent = scene.run('a', 1, 'yield', { suspended: yielded.resolve });
  const given_up = new AbortController();
  const ended = scene.run('b', 2, 'hold', { signal: given_up.signal }).catch((error: unknown) => error);
  await yielded.promise;
  given_up.abort();
  expect(await ended).toBeInstanceOf(Error);
  // The other task's thread is terminated only if that task does not yield.
  while (scene.numbers.filter((number) => number === 1).length < 2) await new Promise(setImmediate);
  scene.release();
  expect(await innocent).toEqual(expect.any(Number));
});

it('a task that yields is ended without its thread', async () => {
  const scene = new Scene(1);
  const given_up = new AbortController();
  const running = Promise.withResolvers<void>();
  const thread = await scene.run('a', 1, 'go');
  const ended = scene
    .run('a', 2, 'yield', { signal: given_up.signal, resumed: running.resolve })
    .catch((error: unknown) => error);
  await running.promise;
  given_up.abort();
  expect(await ended).toBeInstanceOf(Error);
  expect(await scene.run('a', 3, 'go')).toBe(thread);
});

it('a task is notified of each turn that it gets and loses', async () => {
  const scene = new Scene(1);
  const heard: string[] = [];
  const lost = Promise.withResolvers<void>();
  const task = scene.run('a', 1, 'yield', {
    resumed: () => heard.push('resumed'),
    suspended: () => {
      heard.push('suspended');
      lost.resolve();
    },
  });
  const other = scene.run('b', 2, 'go');
  await lost.promise;
  await other;
  scene.release();
  await task;
  expect(heard.slice(0, 3)).toEqual(['resumed', 'suspended', 'resumed']);
});
