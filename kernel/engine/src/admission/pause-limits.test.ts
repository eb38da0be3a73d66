import { setImmediate as turn } from 'node:timers/promises';
import type { RunRow, RunStatus } from '@svc/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PauseLimits } from './pause-limits.ts';

const NONE: Record<RunStatus, number> = { pending: 0, running: 0, paused: 0, completed: 0, blocked: 0, denied: 0, error: 0 };

/** Pauses that are stored, by principal, over a store that takes some turns of the event loop for everything. */
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
  return { stored, pause };
}

it('is exact over pauses that come at once: never more than the bound, and nobody refused while there is room', async () => {
  const principals = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 40 });
  const turns = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 10 });
  const bound = fc.integer({ min: 1, max: 12 });
  const law = fc.asyncProperty(principals, turns, bound, bound, async (asked, delays, in_all, per_principal) => {
    const { stored, pause } = scene({ in_all, per_principal }, delays);
    const outcomes = await Promise.all(asked.map(pause));
    // As if they had come one after another.
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

it('one that could not be written takes no place', async () => {
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

it('where the store cannot be read, nothing is let in', async () => {
  const fails = () => Promise.reject(new Error('the disk is gone'));
  const limits = new PauseLimits({ countRuns: fails, runs: fails }, { in_all: 1, per_principal: 1 });
  await expect(limits.pause('a', async () => 'a')).rejects.toMatchObject({ code: 'SVC-STORE-001' });
});
