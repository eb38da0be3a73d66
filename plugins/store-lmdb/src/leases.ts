import type { Lease } from '@svc/sdk/store';
import type { Key } from 'lmdb';
import { LAST } from './last-key.ts';
import { type Databases, readState } from './tables/databases.ts';

type State = Databases['state'];

interface LeaseRow {
  /** Null after a release. The row stays, so that tokens continue to grow. */
  readonly holder: string | null;
  readonly token: number;
  readonly expires_at: number;
}

const leaseKey = (name: string): Key[] => ['lease', name];
const cursorKey = (name: string): Key[] => ['cursor', name];

/** The token of a stored lease. */
export function leaseToken(value: string): number {
  const { token }: LeaseRow = JSON.parse(value);
  return token;
}

/** Stores a lease with this token and without a holder. Call it inside a write. */
export function putLeaseToken(state: State, name: string, token: number): void {
  const row: LeaseRow = { holder: null, token, expires_at: 0 };
  state.putSync(leaseKey(name), JSON.stringify(row));
}

export function leaseHolder(state: State, now: number, name: string): string | null {
  const row = readState<LeaseRow>(state, leaseKey(name));
  return row === null || row.expires_at <= now ? null : row.holder;
}

/** Call it inside a write. */
export function acquireLease(state: State, now: number, name: string, holder: string, ttl_ms: number): Lease | null {
  const current = leaseHolder(state, now, name);
  if (current !== null && current !== holder) return null;
  const last = readState<LeaseRow>(state, leaseKey(name))?.token ?? 0;
  const token = current === holder ? last : last + 1;
  const row: LeaseRow = { holder, token, expires_at: now + ttl_ms };
  state.putSync(leaseKey(name), JSON.stringify(row));
  return { name, holder, token };
}

/** Call it inside a write. */
export function releaseLease(state: State, { name, token }: Lease): void {
  const row = readState<LeaseRow>(state, leaseKey(name));
  if (row?.token === token) state.putSync(leaseKey(name), JSON.stringify({ ...row, holder: null }));
}

/** Releases every lease. Call it inside a write when the folder is opened: this process has it exclusively, so all holders have ended. */
export function releaseAllLeases(state: State): void {
  for (const { key, value } of [...state.getRange({ start: ['lease'], end: ['lease', LAST] })]) {
    const row: LeaseRow = JSON.parse(value);
    if (row.holder !== null) state.putSync(key, JSON.stringify({ ...row, holder: null }));
  }
}

/** Deletes the leases with this name prefix that have expired by then. Call it inside a write. */
export function forgetLeases(state: State, by: number, prefix: string): number {
  const lapsed: Key[][] = [];
  for (const { key, value } of state.getRange({ start: leaseKey(prefix), end: leaseKey(prefix + LAST) })) {
    const row: LeaseRow = JSON.parse(value);
    if (row.expires_at <= by) lapsed.push(key);
  }
  for (const key of lapsed) state.removeSync(key);
  return lapsed.length;
}

export function readCursor(state: State, name: string): number {
  return Number(state.get(cursorKey(name)) ?? 0);
}

/** Moves a cursor. An expired lease still counts until another process takes it over; a released one does not. Call it inside a write. */
export function moveCursor(state: State, name: string, seq: number, lease: Lease): boolean {
  const row = readState<LeaseRow>(state, leaseKey(lease.name));
  if (row === null || row.holder === null || row.token !== lease.token) return false;
  state.putSync(cursorKey(name), String(seq));
  return true;
}
