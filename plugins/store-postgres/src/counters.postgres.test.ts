import type { ReserveOutcome } from '@svc/sdk/store';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { PostgresStore } from './postgres-store.ts';
import { openStore, sql, temporaryDatabase } from './test-database.ts';

const LIMIT = 60;
/** How many reservations each store requests. Together, they are more than the limit allows. */
const ASKED = 40;

let database: { url: string; remove: () => Promise<void> };
let stores: PostgresStore[];
beforeAll(async () => {
  database = await temporaryDatabase(inject('postgres'));
  stores = await Promise.all([1, 2, 3].map(() => openStore(database.url)));
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await database.remove();
});

const expires_at = Date.now() + 3_600_000;

/** Repeats a reservation with the same id until its result is known: if the answer was lost, the reservation may exist. */
async function reserve(store: PostgresStore, id: string, key: string): Promise<ReserveOutcome> {
  for (;;) {
    try {
      return await store.counters.reserve(id, [{ key, amount: 1, limit: LIMIT, expires_at }]);
    } catch (error) {
      expect(error).toMatchObject({ name: 'StoreError', code: 'UNREACHABLE' });
    }
  }
}

const breakAll = () =>
  sql(
    database.url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
    ['svc'],
  );

it.each([
  ['undisturbed', async () => undefined],
  ['while connections break', breakAll],
])('several stores together grant exactly the limit, %s', async (name, disturb) => {
  const asked = stores.flatMap((store, n) =>
    Array.from({ length: ASKED }, async (_, i) => {
      // Some reservations wait for each other, so that there are many batches.
      if (i % 4 === 0) await store.counters.read([name]).catch(() => undefined);
      if (n === 0 && i % 8 === 0) await disturb();
      return reserve(store, `${name} ${n} ${i}`, name);
    }),
  );
  const outcomes = await Promise.all(asked);
  expect(outcomes.filter(({ granted }) => granted)).toHaveLength(LIMIT);
  for (const store of stores) expect(await store.counters.read([name])).toEqual([LIMIT]);
});
