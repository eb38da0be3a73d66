import type { CounterHold, Counters } from '@svc/contracts';

/** The same counters. After each reservation, `noted` gets the holds of named budgets. */
export function watchedCounters(counters: Counters, noted: (hold: CounterHold) => void): Counters {
  return {
    reserve: async (id, holds) => {
      const outcome = await counters.reserve(id, holds);
      for (const hold of holds) if (hold.label !== undefined && hold.limit > 0) noted(hold);
      return outcome;
    },
    read: (keys) => counters.read(keys),
  };
}
