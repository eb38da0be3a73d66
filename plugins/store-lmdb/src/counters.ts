import type { CounterRow, ReservationRow } from '@svc/sdk/store';
import { type CounterBook, dropReservation } from '@svc/toolkit/store';
import type { Key } from 'lmdb';
import { type Databases, readState } from './tables/databases.ts';

type State = Databases['state'];

/** How many expired counters and reservations each reservation deletes. Each one adds fewer, so they do not accumulate. */
const PRUNED_AT_ONCE = 32;

const counterKey = (key: string): Key[] => ['counter', key];
const reservationKey = (id: string): Key[] => ['reservation', id];
const lapseKey = (at: number, kind: 'counter' | 'reservation', name: string): Key[] => ['lapse', at, kind, name];

/** Counters and reservations in the folder. Change them only inside a write. */
export function counterBook(state: State): CounterBook {
  const counter = (key: string): CounterRow | null => readState(state, counterKey(key));
  return {
    counter,
    putCounter: (key, row) => {
      const old = counter(key);
      if (old?.expires_at !== row.expires_at) {
        if (old !== null) state.removeSync(lapseKey(old.expires_at, 'counter', key));
        state.putSync(lapseKey(row.expires_at, 'counter', key), '');
      }
      state.putSync(counterKey(key), JSON.stringify(row));
    },
    reservation: (id): ReservationRow | null => readState(state, reservationKey(id)),
    putReservation: (id, row) => {
      state.putSync(reservationKey(id), JSON.stringify(row));
      state.putSync(lapseKey(row.expires_at, 'reservation', id), '');
    },
    removeReservation: (id, row) => {
      state.removeSync(reservationKey(id));
      state.removeSync(lapseKey(row.expires_at, 'reservation', id));
    },
  };
}

/** Deletes a few expired counters and reservations. Call it inside a write. */
export function prune(state: State, now: number): void {
  const book = counterBook(state);
  for (const [, , kind, name] of [...state.getKeys({ start: ['lapse'], end: ['lapse', now], limit: PRUNED_AT_ONCE })]) {
    if (kind === 'reservation') dropReservation(book, now, String(name));
    else {
      const row = book.counter(String(name));
      if (row === null) continue;
      state.removeSync(counterKey(String(name)));
      state.removeSync(lapseKey(row.expires_at, 'counter', String(name)));
    }
  }
}
