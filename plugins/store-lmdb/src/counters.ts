import type { CounterHold, CounterSettlement, ReserveOutcome } from '@svc/sdk/plugin';
import type { Key } from 'lmdb';
import { type Databases, readState } from './databases.ts';

type State = Databases['state'];

interface CounterRow {
  readonly spent: number;
  readonly held: number;
  /** When the counter was made: tells it from one of the same key that was forgotten before. */
  readonly since: number;
  readonly expires_at: number;
}

interface ReservationRow {
  readonly holds: readonly { readonly key: string; readonly amount: number; readonly since: number }[];
  /** When the last of its holds may be forgotten. */
  readonly expires_at: number;
}

/** Lapsed counters and reservations removed in passing by each reservation; it adds fewer, so none pile up. */
const PRUNED_AT_ONCE = 32;

const counterKey = (key: string): Key[] => ['counter', key];
const reservationKey = (id: string): Key[] => ['reservation', id];
const lapseKey = (at: number, kind: 'counter' | 'reservation', name: string): Key[] => ['lapse', at, kind, name];

function liveCounter(state: State, now: number, key: string): CounterRow | null {
  const row = readState<CounterRow>(state, counterKey(key));
  return row === null || row.expires_at < now ? null : row;
}

export function usedOf(state: State, now: number, key: string): number {
  const row = liveCounter(state, now, key);
  return row === null ? 0 : row.spent + row.held;
}

function putCounter(state: State, key: string, row: CounterRow): void {
  const old = readState<CounterRow>(state, counterKey(key));
  if (old?.expires_at !== row.expires_at) {
    if (old !== null) state.removeSync(lapseKey(old.expires_at, 'counter', key));
    state.putSync(lapseKey(row.expires_at, 'counter', key), '');
  }
  state.putSync(counterKey(key), JSON.stringify(row));
}

/** Adds to a counter and gives back its `since`. */
function add(state: State, now: number, key: string, more: { spent: number; held: number; expires_at: number }): number {
  const row = liveCounter(state, now, key) ?? { spent: 0, held: 0, since: now, expires_at: more.expires_at };
  putCounter(state, key, {
    spent: row.spent + more.spent,
    held: row.held + more.held,
    since: row.since,
    expires_at: Math.max(row.expires_at, more.expires_at),
  });
  return row.since;
}

function dropReservation(state: State, now: number, id: string): void {
  const reservation = readState<ReservationRow>(state, reservationKey(id));
  if (reservation === null) return;
  state.removeSync(reservationKey(id));
  state.removeSync(lapseKey(reservation.expires_at, 'reservation', id));
  for (const { key, amount, since } of reservation.holds) {
    const row = liveCounter(state, now, key);
    // A counter forgotten since then took its holds with it.
    if (row?.since === since) putCounter(state, key, { ...row, held: row.held - amount });
  }
}

/** Forgets a few of what has lapsed. */
function prune(state: State, now: number): void {
  for (const [, , kind, name] of [...state.getKeys({ start: ['lapse'], end: ['lapse', now], limit: PRUNED_AT_ONCE })]) {
    if (kind === 'reservation') dropReservation(state, now, String(name));
    else {
      const row = readState<CounterRow>(state, counterKey(String(name)));
      if (row === null) continue;
      state.removeSync(counterKey(String(name)));
      state.removeSync(lapseKey(row.expires_at, 'counter', String(name)));
    }
  }
}

/** Inside a write. */
export function reserve(state: State, now: number, id: string, holds: readonly CounterHold[]): ReserveOutcome {
  prune(state, now);
  const earlier = readState<ReservationRow>(state, reservationKey(id));
  if (earlier !== null && earlier.expires_at >= now) return { granted: true };
  dropReservation(state, now, id);
  const more = new Map<string, number>();
  for (const { key, amount, limit } of holds) {
    const used = usedOf(state, now, key) + (more.get(key) ?? 0);
    if (used + amount > limit) return { granted: false, key, used };
    more.set(key, (more.get(key) ?? 0) + amount);
  }
  if (holds.length === 0) return { granted: true };
  const expires_at = Math.max(...holds.map((hold) => hold.expires_at));
  const row: ReservationRow = {
    holds: holds.map(({ key, amount, expires_at: at }) => ({
      key,
      amount,
      since: add(state, now, key, { spent: 0, held: amount, expires_at: at }),
    })),
    expires_at,
  };
  state.putSync(reservationKey(id), JSON.stringify(row));
  state.putSync(lapseKey(expires_at, 'reservation', id), '');
  return { granted: true };
}

/** Inside a write. */
export function settle(state: State, now: number, { reservation, spend }: CounterSettlement): void {
  dropReservation(state, now, reservation);
  for (const { key, amount, expires_at } of spend) add(state, now, key, { spent: amount, held: 0, expires_at });
}
