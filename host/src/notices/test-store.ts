import type { Counters, Store } from '@svc/contracts';

/** What notices use of a store, in memory. Only counters expire. Each method can be replaced by one that fails. */
export function memoryStore() {
  const meta = new Map<string, string>();
  const holders = new Map<string, string>();
  const used = new Map<string, { sum: number; expires_at: number }>();
  const usedOf = (key: string): number => {
    const { sum, expires_at } = used.get(key) ?? { sum: 0, expires_at: 0 };
    return expires_at > Date.now() ? sum : 0;
  };
  const counters: Counters = {
    reserve: async (_, [hold]) => {
      if (hold === undefined) return { granted: true };
      const { key, amount, limit } = hold;
      const sum = usedOf(key) + amount;
      if (sum > limit) return { granted: false, key, used: sum - amount };
      used.set(key, { sum, expires_at: Math.max(hold.expires_at, used.get(key)?.expires_at ?? 0) });
      return { granted: true };
    },
    read: async (keys) => keys.map(usedOf),
  };
  const store: Pick<Store, 'readMeta' | 'writeMeta' | 'acquireLease' | 'releaseLease'> & { counters: Counters } = {
    counters,
    readMeta: async (key) => meta.get(key) ?? null,
    writeMeta: async (key, expected, value) => {
      if ((meta.get(key) ?? null) !== expected) return false;
      meta.set(key, value);
      return true;
    },
    acquireLease: async (name, holder) => {
      if ((holders.get(name) ?? holder) !== holder) return null;
      holders.set(name, holder);
      return { name, holder, token: 1 };
    },
    releaseLease: async ({ name }) => void holders.delete(name),
  };
  return { store, meta, holders };
}

export const away = (): Promise<never> => Promise.reject(new Error('away'));
