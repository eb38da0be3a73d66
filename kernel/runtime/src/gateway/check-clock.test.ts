import type { LedgerQuery, Store, StoredRecord } from '@svc/contracts';
import { expect, it } from 'vitest';
import { checkClock } from './check-clock.ts';

const NOW = Date.parse('2026-06-01T12:00:00.000Z');
const MINUTE = 60_000;
const clock = { now: () => NOW, monotonic: () => 0 };

/** A ledger of evidence with these completion times, followed by this many inventory records. */
function storeOf(times: readonly number[], inventory = 0, now = NOW): Store {
  const records = [
    ...times.map((at) => ({ record_type: 'run_evidence', completed_at: new Date(at).toISOString() })),
    ...Array.from({ length: inventory }, () => ({ record_type: 'model_inventory' })),
  ].map((record, i) => ({ ...record, seq: i + 1 }));
  const store: Pick<Store, 'now' | 'head' | 'records'> = {
    now: async () => now,
    head: async () => (records.length === 0 ? null : { seq: records.length, hash: '' }),
    records: async ({ since_seq, limit, record_type }: LedgerQuery): Promise<StoredRecord[]> =>
      records
        .filter((record) => record.seq > since_seq && record.record_type === record_type)
        .slice(0, limit)
        .map((record) => ({ seq: record.seq, bytes: JSON.stringify(record) })),
  };
  return store as Store;
}

it.each([
  ['nothing', storeOf([])],
  ['only records of routes', storeOf([], 20)],
  ['evidence from before', storeOf([NOW - 1000 * MINUTE])],
  ['evidence as far ahead as clocks may differ', storeOf([NOW + 5 * MINUTE])],
  ['older evidence that is ahead', storeOf([NOW + 1000 * MINUTE, NOW])],
])('allows a start if the ledger has %s', async (_what, store) => {
  await expect(checkClock(store, clock, false)).resolves.toBeUndefined();
});

it.each([
  ['at its end', storeOf([NOW, NOW + 6 * MINUTE])],
  ['behind some records of routes', storeOf([NOW + 6 * MINUTE], 10)],
  ['behind many', storeOf([NOW + 6 * MINUTE], 1_000)],
])('refuses a clock far behind the evidence %s, unless the operator accepts it', async (_where, store) => {
  await expect(checkClock(store, clock, false)).rejects.toThrow(/--accept-clock/);
  await expect(checkClock(store, clock, true)).resolves.toBeUndefined();
});

it("refuses a clock that is far from the database's, even if the operator accepts it", async () => {
  for (const ahead of [-6, 6])
    await expect(checkClock(storeOf([], 0, NOW + ahead * MINUTE), clock, true)).rejects.toThrow(/6 minutes/);
});
