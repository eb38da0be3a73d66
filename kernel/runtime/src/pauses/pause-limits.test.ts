import { setImmediate as turn } from 'node:timers/promises';
import type { RunRow, RunStatus } from '@svc/contracts';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PauseLimits } from './pause-limits.ts';

const NONE: Record<RunStatus, number> = { pending: 0, running: 0, paused: 0, completed: 0, blocked: 0, denied: 0, error: 0 };

/** Stored pauses by principal, in a store whose calls take some turns of the event loop. */
function scene(max: { in_all: number; per_principal: number }, turns: readonly number[]) {
  const stored: string[] = [];
  let asked = 0;
  const pass = async (): Promise<void> => {
    for (let n = turns[asked++ % turns.length] ?? 0; n > 0; n -= 1) await turn();
  };
  const store = {
    countRuns: async () => {
      await pass();
      return { ...NONE, paused: stored.length };
    },
    runs: async ({ principal, limit }: { principal?: string; limit: number }) => {
      await pass();
      const rows = stored.filter((id) => id === principal).slice(0, limit);
      return { rows: rows.map((principal_id) => ({ principal_id }) as RunRow), next: null };
    },
  };
  const limits = new PauseLimits(store, max);
  const pause = (principal: string) =>
    limits.pause(principal, async () => {
      await pass();
      stored.push(principal);
      await pass();
      return principal;
    });
  return { limits, stored, pause, pass, store: (principal: string) => stored.push(principal) };
}

it('is exact for concurrent pauses: never exceeds the limit, and refuses none while there is room', async () => {
  const principals = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 40 });
  const turns = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 10 });
  const bound = fc.integer({ min: 1, max: 12 });
  const law = fc.asyncProperty(principals, turns, bound, bound, async (asked, delays, in_all, per_principal) => {
    const { stored, pause } = scene({ in_all, per_principal }, delays);
    const outcomes = await Promise.all(asked.map(pause));
    // The results that would be expected if the requests came one after another.
    const one: string[] = [];
    const expected = asked.map((id) => {
      if (one.length >= in_all || one.filter((other) => other === id).length >= per_principal) return null;
      one.push(id);
      return id;
    });
    expect(outcomes).toEqual(expected);
    expect(stored.toSorted()).toEqual(one.toSorted());
  });
  await fc.assert(law);
});

it('finds room for all admitted requests that may pause, and refuses none while there is room', async () => {
  const request = fc.record({ principal: fc.constantFrom('a', 'b', 'c'), pauses: fc.boolean() });
  const requests = fc.array(request, { minLength: 1, maxLength: 40 });
  const turns = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 10 });
  const bound = fc.integer({ min: 1, max: 12 });
  const law = fc.asyncProperty(requests, turns, bound, bound, async (asked, delays, in_all, per_principal) => {
    const { limits, stored, pass, store } = scene({ in_all, per_principal }, delays);
    const begin = async ({ principal, pauses }: { principal: string; pauses: boolean }): Promise<string> => {
      await pass();
      const claim = limits.claim(principal);
      if (await limits.mayBeFull(claim)) {
        await pass();
        if (pauses && !(await limits.reserve(claim))) {
          claim.end();
          return 'refused';
        }
        if (!pauses) claim.end();
      }
      await pass();
      if (!pauses) {
        claim.end();
        return 'passed';
      }
      return (await limits.pause(principal, async () => store(principal), claim)) === null ? 'late' : 'paused';
    };
    const outcomes = await Promise.all(asked.map(begin));
    expect(outcomes).not.toContain('late');
    for (const [index, { principal, pauses }] of asked.entries()) {
      if (!pauses) expect(outcomes[index]).toBe('passed');
      const own = stored.filter((id) => id === principal).length;
      expect([own <= per_principal, stored.length <= in_all]).toEqual([true, true]);
      if (outcomes[index] === 'refused') expect(own === per_principal || stored.length === in_all).toBe(true);
    }
  });
  // In this case, a pause is stored and ends while a later request reads the store. `-` passes; `+` and `c` pause.
  const asked = [...'-+c----+--+'].map((mark) => ({ principal: mark === 'c' ? 'c' : 'a', pauses: mark !== '-' }));
  await fc.assert(law, { examples: [[asked, [1, 1, 0, 1, 3, 1, 1, 0], 3, 3]] });
});

it('an answer that pauses does not wait for a request that only may pause', async () => {
  const { limits, pause } = scene({ in_all: 1, per_principal: 1 }, [1]);
  const claim = limits.claim('a');
  expect(await pause('b')).toBe('b');
  expect(await limits.reserve(claim)).toBe(false);
});

it('a request waits only for its own principal, and not for ever', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { limits } = scene({ in_all: 5, per_principal: 1 }, [0]);
  const [first, second, other] = [limits.claim('a'), limits.claim('a'), limits.claim('b')];
  const reserved = limits.reserve(second);
  expect(await limits.reserve(other)).toBe(true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await reserved).toBe(false);
  second.end();
  const next = limits.claim('a');
  const waiting = limits.reserve(next);
  first.end();
  expect(await waiting).toBe(true);
});

it('a pause that could not be written uses no room', async () => {
  const { stored, pause } = scene({ in_all: 1, per_principal: 1 }, [1]);
  const limits = new PauseLimits(
    { countRuns: async () => ({ ...NONE, paused: stored.length }), runs: async () => ({ rows: [], next: null }) },
    { in_all: 1, per_principal: 1 },
  );
  const failed = limits.pause('a', () => Promise.reject(new Error('the disk is gone')));
  const next = limits.pause('a', () => pause('a'));
  await expect(failed).rejects.toThrow('the disk is gone');
  expect(await next).toBe('a');
});

it('admits nothing if the store cannot be read', async () => {
  const fails = () => Promise.reject(new Error('the disk is gone'));
  const limits = new PauseLimits({ countRuns: fails, runs: fails }, { in_all: 1, per_principal: 1 });
  await expect(limits.pause('a', async () => 'a')).rejects.toMatchObject({ code: 'SVC-STORE-001' });
});
