import type { Clock, NewOperation, Operation, Store } from '@svc/contracts';
import { KeyTree } from '@svc/runtime/content';
import { OperationalStates, OperationsLog } from '@svc/runtime/records';
import { assertStillBy } from './assert-still.ts';
import { KeyChanges } from './key-changes.ts';
import { KeyRing, type Principal } from './key-ring.ts';
import { StoredKeys } from './stored-keys.ts';

export const ADMIN: Principal = {
  principal_id: 'ada',
  roles: null,
  routes: null,
  namespaces: null,
  team: null,
  identity: null,
  key_id: null,
};

/** A clock that moves only when the test moves it. */
export function handClock(start = Date.UTC(2026, 0, 1)): Clock & { advance(milliseconds: number): void } {
  let now = start;
  return {
    now: () => now,
    monotonic: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** The store's small values, as processes share them. */
export function sharedMeta(): Pick<Store, 'readMeta' | 'writeMeta'> & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    readMeta: async (key) => values.get(key) ?? null,
    writeMeta: async (key, expected, value) => {
      if ((values.get(key) ?? null) !== expected) return false;
      values.set(key, value);
      return true;
    },
  };
}

const content_keys = { newest: KeyTree.generate(), older: [], forget: null };

/** The keys of one process, with a clock that the test moves. */
export function keysOf(meta = sharedMeta(), clock = handClock()) {
  const stored = new StoredKeys(clock);
  const states = new OperationalStates();
  const log = new OperationsLog({
    store: meta,
    clock,
    content_keys,
    logger: { warn: () => undefined },
    apply: [stored.apply, states.apply],
  });
  const ring = new KeyRing([], stored);
  // Accepts callers unless they have a key that was created at run time.
  const known = { stillKnows: (caller: Principal) => caller.key_id === null || ring.stillKnows(caller) };
  const assertStill = assertStillBy({ ring: known, issuers: known }, states);
  const principals = {
    keysOf: (principal_id: string) => ring.keysOf(principal_id),
    isOfIssuer: (principal_id: string) => principal_id.startsWith('corp:'),
    hasRuns: async (principal_id: string) => principal_id === 'known',
  };
  const changes = new KeyChanges({ log, keys: stored, clock, assertStill, principals });
  const find = (key: string): Principal | null => ring.find(`Bearer ${key}`);
  const append = (operation: NewOperation) => log.append(() => operation);
  const records = async (): Promise<Operation[]> => {
    const kept = await log.records.records({ since_seq: 0, limit: 100 });
    return kept.map(({ bytes }) => JSON.parse(bytes));
  };
  return { meta, clock, stored, log, changes, ring, find, append, records };
}
