import type { Store } from '@svc/contracts';
import { createRun, type FakeClock, sampleRun } from '@svc/sdk/testing';
import fc from 'fast-check';
import { expect } from 'vitest';

/** A counter of the model. Its period ends `period` milliseconds after the start. */
const COUNTERS = [
  { name: 'day', period: 50, limit: 20 },
  { name: 'month', period: 200, limit: 40 },
  { name: 'ever', period: 1e9, limit: 100 },
];

const index = fc.nat(COUNTERS.length - 1);
const amounts = fc.array(fc.tuple(index, fc.nat(15)), { minLength: 1, maxLength: 4 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('reserve' as const), id: fc.nat(5), amounts }),
  fc.record({ kind: fc.constant('settle' as const), id: fc.nat(5), amounts }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(60) }),
);

interface Reservation {
  readonly holds: readonly (readonly [number, number])[];
  readonly ends: number;
}

/** What counters should do, without a store. */
class Model {
  time = 0;
  readonly spent = COUNTERS.map(() => 0);
  readonly reservations = new Map<number, Reservation>();

  used(counter: number): number {
    if (this.time > this.periodOf(counter)) return 0;
    const held = [...this.reservations.values()]
      .filter(({ ends }) => ends >= this.time)
      .flatMap(({ holds }) => holds)
      .filter(([of]) => of === counter)
      .reduce((sum, [, amount]) => sum + amount, 0);
    return held + (this.spent[counter] ?? 0);
  }

  periodOf(counter: number): number {
    return COUNTERS[counter]?.period ?? 0;
  }

  reserve(id: number, holds: readonly (readonly [number, number])[]): boolean {
    const earlier = this.reservations.get(id);
    if (earlier !== undefined && earlier.ends >= this.time) return true;
    const total = new Map<number, number>();
    for (const [counter, amount] of holds) {
      total.set(counter, (total.get(counter) ?? 0) + amount);
      if (this.used(counter) + (total.get(counter) ?? 0) > (COUNTERS[counter]?.limit ?? 0)) return false;
    }
    this.reservations.set(id, { holds, ends: Math.max(...holds.map(([counter]) => this.periodOf(counter))) });
    return true;
  }

  settle(id: number, spend: readonly (readonly [number, number])[]): void {
    this.reservations.delete(id);
    for (const [counter, amount] of spend) this.spent[counter] = (this.spent[counter] ?? 0) + amount;
  }
}

/**
 * Checks that counters match the model for any order of reserving, settling and waiting.
 * @param clock the store's clock
 */
export async function countersFollowModel(store: Store, clock: FakeClock): Promise<void> {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const prefix = `${round++}`;
      const start = clock.now();
      const model = new Model();
      const keyOf = (counter: number) => `${prefix}/${COUNTERS[counter]?.name}`;
      const endOf = (counter: number) => start + model.periodOf(counter);
      for (const action of steps) {
        if (action.kind === 'wait') {
          clock.advance(action.ms);
          model.time += action.ms;
        } else if (action.kind === 'reserve') {
          const holds = action.amounts.map(([counter, amount]) => ({
            key: keyOf(counter),
            amount,
            limit: COUNTERS[counter]?.limit ?? 0,
            expires_at: endOf(counter),
          }));
          const outcome = await store.counters.reserve(`${prefix}/${action.id}`, holds);
          expect(outcome.granted).toBe(model.reserve(action.id, action.amounts));
        } else {
          const spend = action.amounts.map(([counter, amount]) => ({ key: keyOf(counter), amount, expires_at: endOf(counter) }));
          const settlements = [{ reservation: `${prefix}/${action.id}`, spend }];
          await store.commit([createRun(sampleRun(), { settlements })], []);
          model.settle(action.id, action.amounts);
        }
        expect(await store.counters.read(COUNTERS.map((_, i) => keyOf(i)))).toEqual(COUNTERS.map((_, i) => model.used(i)));
      }
    }),
  );
}
