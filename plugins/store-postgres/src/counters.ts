import type { CounterHold, CounterRow, CounterSettlement, ReservationRow, ReserveOutcome } from '@svc/sdk/store';
import { type CounterBook, dropReservation, reserve } from '@svc/toolkit/store';
import type { Connections, Transaction } from './connections.ts';

/** The row that every change of counters locks. */
export const LOCK_COUNTERS = 'SELECT one FROM svc.counters FOR UPDATE';
/** How many expired counters and reservations each batch of reservations deletes. */
const PRUNED_AT_ONCE = 64;

/** The counters and reservations that a write may touch, read under the lock, and their changes. */
export class LoadedCounters implements CounterBook {
  readonly #counters: Map<string, CounterRow>;
  readonly #reservations: Map<string, ReservationRow>;
  readonly #changedCounters = new Set<string>();
  readonly #changedReservations = new Set<string>();

  private constructor(counters: Map<string, CounterRow>, reservations: Map<string, ReservationRow>) {
    this.#counters = counters;
    this.#reservations = reservations;
  }

  /** Loads counters and reservations, including the counters of the reservations. The caller must hold the lock. */
  static async load(tx: Transaction, ids: readonly string[], keys: readonly string[]): Promise<LoadedCounters> {
    const [reservations, counters] = await Promise.all([
      tx.query<ReservationRow & { id: string }>(
        'load-reservations',
        'SELECT id, holds, expires_at FROM svc.reservation WHERE id = ANY($1)',
        [ids],
      ),
      tx.query<CounterRow & { key: string }>(
        'load-counters',
        `SELECT key, spent, held, since, expires_at FROM svc.counter WHERE key = ANY($1) OR key IN (
           SELECT hold ->> 'key' FROM svc.reservation, jsonb_array_elements(holds) AS hold WHERE id = ANY($2))`,
        [keys, ids],
      ),
    ]);
    return new LoadedCounters(
      new Map(counters.map(({ key, ...row }) => [key, row])),
      new Map(reservations.map(({ id, ...row }) => [id, row])),
    );
  }

  /** Like {@link load}, for the settlements of a commit. */
  static forSettlements(tx: Transaction, settlements: readonly CounterSettlement[]): Promise<LoadedCounters> {
    return LoadedCounters.load(
      tx,
      settlements.map(({ reservation }) => reservation),
      settlements.flatMap(({ spend }) => spend.map(({ key }) => key)),
    );
  }

  static none(): LoadedCounters {
    return new LoadedCounters(new Map(), new Map());
  }

  counter(key: string): CounterRow | null {
    return this.#counters.get(key) ?? null;
  }

  putCounter(key: string, row: CounterRow): void {
    this.#counters.set(key, row);
    this.#changedCounters.add(key);
  }

  reservation(id: string): ReservationRow | null {
    return this.#reservations.get(id) ?? null;
  }

  putReservation(id: string, row: ReservationRow): void {
    this.#reservations.set(id, row);
    this.#changedReservations.add(id);
  }

  removeReservation(id: string): void {
    this.#reservations.delete(id);
    this.#changedReservations.add(id);
  }

  save(tx: Transaction): Promise<unknown>[] {
    const writes: Promise<unknown>[] = [];
    const counters = [...this.#changedCounters].flatMap((key) => {
      const row = this.#counters.get(key);
      return row === undefined ? [] : [{ key, ...row }];
    });
    if (counters.length > 0) {
      writes.push(
        tx.query(
          'save-counters',
          `INSERT INTO svc.counter (key, spent, held, since, expires_at)
           SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
           ON CONFLICT (key) DO UPDATE
           SET spent = excluded.spent, held = excluded.held, since = excluded.since, expires_at = excluded.expires_at`,
          (['key', 'spent', 'held', 'since', 'expires_at'] as const).map((field) => counters.map((row) => row[field])),
        ),
      );
    }
    const changed = [...this.#changedReservations];
    const gone = changed.filter((id) => !this.#reservations.has(id));
    const kept = changed.flatMap((id) => {
      const row = this.#reservations.get(id);
      return row === undefined ? [] : [{ id, ...row }];
    });
    if (gone.length > 0) writes.push(tx.query('drop-reservations', 'DELETE FROM svc.reservation WHERE id = ANY($1)', [gone]));
    if (kept.length > 0) {
      writes.push(
        tx.query(
          'save-reservations',
          `INSERT INTO svc.reservation (id, holds, expires_at) SELECT * FROM unnest($1::text[], $2::jsonb[], $3::bigint[])
           ON CONFLICT (id) DO UPDATE SET holds = excluded.holds, expires_at = excluded.expires_at`,
          [kept.map(({ id }) => id), kept.map(({ holds }) => JSON.stringify(holds)), kept.map(({ expires_at }) => expires_at)],
        ),
      );
    }
    return writes;
  }
}

export interface AskedReservation {
  readonly id: string;
  readonly holds: readonly CounterHold[];
}

/** Makes reservations in order, in one transaction, and deletes some expired rows. */
export async function reserveGroup(
  connections: Connections,
  asked: readonly AskedReservation[],
  now: number,
): Promise<ReserveOutcome[]> {
  return connections.transaction(async (tx) => {
    const [, lapsed] = await Promise.all([
      tx.begin(LOCK_COUNTERS),
      tx.query<{ id: string }>('lapsed-reservations', 'SELECT id FROM svc.reservation WHERE expires_at < $1 LIMIT $2', [
        now,
        PRUNED_AT_ONCE,
      ]),
    ]);
    const lapsedIds = lapsed.map(({ id }) => id);
    const book = await LoadedCounters.load(
      tx,
      [...asked.map(({ id }) => id), ...lapsedIds],
      asked.flatMap(({ holds }) => holds.map(({ key }) => key)),
    );
    for (const id of lapsedIds) dropReservation(book, now, id);
    const outcomes = asked.map(({ id, holds }) => reserve(book, now, id, holds));
    const pruned = tx.query(
      'prune-counters',
      'DELETE FROM svc.counter WHERE key IN (SELECT key FROM svc.counter WHERE expires_at < $1 LIMIT $2)',
      [now, PRUNED_AT_ONCE],
    );
    // Deletes first, so that an expired counter that is used again is written after its deletion.
    await Promise.all([pruned, ...book.save(tx), tx.commit()]);
    return outcomes;
  });
}
