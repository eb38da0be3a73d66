import type { CounterHold, CounterSettlement, Counters } from '@svc/contracts';

/** Counters in memory. They never expire: `expires_at` only says how long a store must keep them. */
export interface FakeCounters extends Counters {
  /** Adds spend and drops the reservation, as a store does in the commit that ends a run. */
  settle(settlement: CounterSettlement): void;
}

export function fakeCounters(): FakeCounters {
  const spent = new Map<string, number>();
  const reservations = new Map<string, readonly CounterHold[]>();
  const used = (key: string): number => {
    const holds = [...reservations.values()].flat().filter((hold) => hold.key === key);
    return holds.reduce((sum, { amount }) => sum + amount, spent.get(key) ?? 0);
  };
  return {
    async reserve(id, holds) {
      if (reservations.has(id)) return { granted: true };
      const asked = new Map<string, number>();
      for (const { key, amount, limit } of holds) {
        const sum = (asked.get(key) ?? 0) + amount;
        if (used(key) + sum > limit) return { granted: false, key, used: used(key) };
        asked.set(key, sum);
      }
      reservations.set(id, [...holds]);
      return { granted: true };
    },
    async read(keys) {
      return keys.map(used);
    },
    settle({ reservation, spend }) {
      reservations.delete(reservation);
      for (const { key, amount } of spend) spent.set(key, (spent.get(key) ?? 0) + amount);
    },
  };
}
