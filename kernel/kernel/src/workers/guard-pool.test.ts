import { afterEach, describe, expect, it } from 'vitest';
import type { Misdeed } from './fixtures/misbehaves.ts';
import { GuardPool } from './guard-pool.ts';
import type { GuardTask } from './guard-workers.ts';

const urlOf = (name: string): string => new URL(`./fixtures/${name}.ts`, import.meta.url).href;

let pools: GuardPool[] = [];
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  pools = [];
});

function poolOf(threads: number): GuardPool {
  const pool = new GuardPool();
  pool.size = threads;
  pools.push(pool);
  return pool;
}

function taskOf(input: Misdeed | null, fields: Partial<GuardTask> = {}): GuardTask {
  const signal = new AbortController().signal;
  return {
    principal_id: 'alice',
    moduleUrl: urlOf('misbehaves'),
    input,
    signal,
    admitted: false,
    resumed: () => undefined,
    suspended: () => undefined,
    ...fields,
  };
}

/** A task that blocks its thread. Resolves once the thread works on it. */
async function spinning(pool: GuardPool): Promise<{ end: () => void; ended: Promise<unknown> }> {
  const given_up = new AbortController();
  const running = Promise.withResolvers<void>();
  const task = taskOf('spin', { signal: given_up.signal, resumed: () => running.resolve() });
  const ended = pool.run(task).catch((error: unknown) => error);
  await running.promise;
  return { end: () => given_up.abort(), ended };
}

it('runs a module on its input in another thread', async () => {
  await expect(poolOf(1).run(taskOf(null))).resolves.toBe('done');
});

describe('a task that', () => {
  it.each<[string, Misdeed]>([
    ['throws', 'throw'],
    ['rejects', 'reject'],
    ['ends its thread', 'exit'],
    ['takes all memory', 'hoard'],
    ['gives what cannot be cloned', 'function'],
    ['ends its thread by an error that no other thread can read', 'unreadable'],
    ['ends its thread by an error with a long chain of causes', 'chain'],
  ])(
    '%s is rejected without its message, and its thread serves the next task or is replaced',
    async (_, misdeed) => {
      const pool = poolOf(1);
      const failure = await pool.run(taskOf(misdeed)).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      expect(String(failure)).not.toContain('private');
      await expect(pool.run(taskOf(null))).resolves.toBe('done');
    },
    60_000,
  );

  it('cannot be cloned is rejected', async () => {
    const pool = poolOf(1);
    await expect(pool.run({ ...taskOf(null), input: () => undefined })).rejects.toThrow();
    await expect(pool.run(taskOf(null))).resolves.toBe('done');
  });

  it('never returns is ended with its thread, and waiting tasks are served', async () => {
    const pool = poolOf(1);
    const { end, ended } = await spinning(pool);
    const next = pool.run(taskOf(null));
    end();
    expect(await ended).toBeInstanceOf(Error);
    await expect(next).resolves.toBe('done');
  });

  it('is aborted before its turn never begins', async () => {
    const pool = poolOf(1);
    const { end } = await spinning(pool);
    const given_up = new AbortController();
    const waiting = pool.run(taskOf('exit', { signal: given_up.signal }));
    given_up.abort();
    await expect(waiting).rejects.toThrow();
    end();
    await expect(pool.run(taskOf(null, { signal: AbortSignal.abort() }))).rejects.toThrow();
  });

  it('must load its module starts when the module is loaded', async () => {
    const times: number[] = [];
    const resumed = (): void => void times.push(performance.now());
    const began = performance.now();
    await poolOf(1).run(taskOf(null, { moduleUrl: urlOf('slow-to-load'), resumed }));
    expect(times).toHaveLength(1);
    // The module takes 400 ms to load.
    expect(times[0]).toBeGreaterThan(began + 390);
  });
});

it('dead threads are replaced while others work, and no task is lost', async () => {
  const pool = poolOf(2);
  const { end } = await spinning(pool);
  const exits = Array.from({ length: 3 }, () => pool.run(taskOf('exit')));
  const tasks = Array.from({ length: 3 }, () => pool.run(taskOf(null)));
  expect((await Promise.allSettled(exits)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await Promise.all(tasks)).toEqual(['done', 'done', 'done']);
  end();
});

it('accepts no tasks after close, and ends the running ones', async () => {
  const pool = poolOf(1);
  const { ended } = await spinning(pool);
  const waiting = pool.run(taskOf(null)).catch((error: unknown) => error);
  await pool.close();
  expect(await ended).toBeInstanceOf(Error);
  expect(await waiting).toBeInstanceOf(Error);
  await expect(pool.run(taskOf(null))).rejects.toThrow();
});
