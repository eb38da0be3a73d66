import type { CounterHold, CounterRow, CounterSettlement, ReservationRow, ReserveOutcome } from '@svc/contracts';

/** Counters and reservations, as one exclusive write sees them. */
export interface CounterBook {
  counter(key: string): CounterRow | null;
  putCounter(key: string, row: CounterRow): void;
  reservation(id: string): ReservationRow | null;
  putReservation(id: string, row: ReservationRow): void;
  removeReservation(id: string, row: ReservationRow): void;
}

function liveCounter(book: CounterBook, now: number, key: string): CounterRow | null {
  const row = book.counter(key);
  return row === null || row.expires_at < now ? null : row;
}

/** Spent and held amount. 0 for an unknown or expired counter. */
export function usedOf(book: Pick<CounterBook, 'counter'>, now: number, key: string): number {
  const row = book.counter(key);
  return row === null || row.expires_at < now ? 0 : row.spent + row.held;
}

/** Adds to a counter, and returns the counter's `since`. */
function add(book: CounterBook, now: number, key: string, more: { spent: number; held: number; expires_at: number }): number {
  const row = liveCounter(book, now, key) ?? { spent: 0, held: 0, since: now, expires_at: more.expires_at };
  book.putCounter(key, {
    spent: row.spent + more.spent,
    held: row.held + more.held,
    since: row.since,
    expires_at: Math.max(row.expires_at, more.expires_at),
  });
  return row.since;
}

/** Releases a reservation, if there is one. */
export function dropReservation(book: CounterBook, now: number, id: string): void {
  const reservation = book.reservation(id);
  if (reservation === null) return;
  book.removeReservation(id, reservation);
  for (const { key, amount, since } of reservation.holds) {
    const row = liveCounter(book, now, key);
    // If the counter has expired in the meantime, its holds are already gone.
    if (row?.since === since) book.putCounter(key, { ...row, held: row.held - amount });
  }
}

/** Makes all holds or none, see `Counters.reserve`. */
export function reserve(book: CounterBook, now: number, id: string, holds: readonly CounterHold[]): ReserveOutcome {
  const earlier = book.reservation(id);
  if (earlier !== null && earlier.expires_at >= now) return { granted: true };
  dropReservation(book, now, id);
  const more = new Map<string, number>();
  for (const { key, amount, limit } of holds) {
    const used = usedOf(book, now, key) + (more.get(key) ?? 0);
    if (used + amount > limit) return { granted: false, key, used };
    more.set(key, (more.get(key) ?? 0) + amount);
  }
  if (holds.length === 0) return { granted: true };
  book.putReservation(id, {
    holds: holds.map(({ key, amount, expires_at }) => ({
      key,
      amount,
      since: add(book, now, key, { spent: 0, held: amount, expires_at }),
    })),
    expires_at: Math.max(...holds.map((hold) => hold.expires_at)),
  });
  return { granted: true };
}

/** Adds spend and drops the reservation, see `CounterSettlement`. */
export function settle(book: CounterBook, now: number, { reservation, spend }: CounterSettlement): void {
  dropReservation(book, now, reservation);
  for (const { key, amount, expires_at } of spend) add(book, now, key, { spent: amount, held: 0, expires_at });
}
