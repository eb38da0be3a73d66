import { randomUUID } from 'node:crypto';
import { type Clock, type NewOperation, type OperationAction, SvcError } from '@svc/contracts';
import { canonicalJson, sha256 } from '@svc/ledger';
import type { OperationsLog } from '@svc/runtime/records';
import { newKey } from '../keys/new-key.ts';
import { actorOf } from './actor.ts';
import type { AssertStill } from './assert-still.ts';
import { type KeyGrant, type Principals, requireCover, requirePrincipal } from './key-grant.ts';
import type { Principal } from './key-ring.ts';
import type { KeyCreated, KeyRotated, StoredKey, StoredKeys } from './stored-keys.ts';

/** A new key, shown only once, and its stored fields. */
export interface CreatedKey {
  readonly key: string;
  readonly stored: StoredKey;
}

/** Reason and expiry of a change. Times are ISO 8601 in UTC. */
interface Asked {
  readonly reason: string | null;
  readonly expires_at: string | null;
}

interface KeyChangesParts {
  readonly log: OperationsLog;
  readonly keys: StoredKeys;
  readonly clock: Clock;
  readonly assertStill: AssertStill;
  readonly principals: Principals;
}

/** Creates, rotates and revokes keys at run time. Each change is a record of the operations log. */
export class KeyChanges {
  readonly #parts: KeyChangesParts;

  constructor(parts: KeyChangesParts) {
    this.#parts = parts;
  }

  /**
   * @throws {SvcError} SVC-AUTH-001 and SVC-OPS-002 for a caller that has lost its access, SVC-AUTH-002, SVC-REQ-001 for a past expiry, SVC-STORE-001
   */
  async create(caller: Principal, grant: KeyGrant, { reason, expires_at }: Asked): Promise<CreatedKey> {
    requireCover(caller, grant);
    this.#requireFuture(expires_at);
    const id = randomUUID();
    const { key, key_sha256 } = secretOf();
    const change: KeyCreated = { ...grant, expires_at, key_sha256 };
    await this.#append(caller, async () => {
      await requirePrincipal(caller, grant.principal_id, this.#parts.principals);
      this.#requireNoLonger(caller, expires_at);
      return {
        ...operation('key.created', caller, id, reason),
        before: null,
        after: digestOf(change),
        change: { ...change },
      };
    });
    return { key, stored: this.#known(id) };
  }

  /**
   * Creates a key with the same grant as another. The old key stays valid for `overlap_s` more seconds, but not longer than before.
   * @param expires_at expiry of the new key; undefined: that of the old one
   * @throws {SvcError} SVC-KEY-001, SVC-KEY-002, SVC-REQ-001, and as {@link create}
   */
  async rotate(
    caller: Principal,
    id: string,
    { overlap_s, expires_at, reason }: { overlap_s: number; expires_at: string | null | undefined; reason: string | null },
  ): Promise<CreatedKey> {
    const { clock } = this.#parts;
    this.#requireFuture(expires_at ?? null);
    const made = { id: randomUUID(), ...secretOf() };
    await this.#append(caller, async () => {
      const old = this.#managed(caller, id);
      await requirePrincipal(caller, old.principal_id, this.#parts.principals);
      this.#requireValid(id);
      this.#requireNewest(id);
      const end = new Date(clock.now() + overlap_s * 1000).toISOString();
      const last = old.expires_at !== null && Date.parse(old.expires_at) < Date.parse(end) ? old.expires_at : end;
      // The record itself ends the key, as a revocation does, because the clock of another process may be slow.
      const until = overlap_s === 0 ? null : last;
      const change: KeyRotated = {
        id: made.id,
        key_sha256: made.key_sha256,
        expires_at: expires_at === undefined ? old.expires_at : expires_at,
        until,
      };
      this.#requireNoLonger(caller, change.expires_at);
      return {
        ...operation('key.rotated', caller, id, reason),
        before: digestOf(old),
        after: until === null ? null : digestOf({ ...old, expires_at: until }),
        change,
      };
    });
    return { key: made.key, stored: this.#known(made.id) };
  }

  /** @throws {SvcError} SVC-KEY-001; SVC-KEY-002 if the key has already been revoked; the errors of {@link create} */
  async revoke(caller: Principal, id: string, reason: string | null): Promise<StoredKey> {
    await this.#append(caller, () => {
      const old = this.#managed(caller, id);
      if (old.revoked_at !== null) throw new SvcError('SVC-KEY-002', 'the key has already been revoked');
      return { ...operation('key.revoked', caller, id, reason), before: digestOf(old), after: null, change: {} };
    });
    return this.#known(id);
  }

  async #append(caller: Principal, make: () => NewOperation | Promise<NewOperation>): Promise<void> {
    const { log, assertStill } = this.#parts;
    await log.append(async () => {
      await assertStill(caller);
      return make();
    });
  }

  #managed(caller: Principal, id: string): StoredKey {
    const key = this.#known(id);
    requireCover(caller, key);
    return key;
  }

  #known(id: string): StoredKey {
    const key = this.#parts.keys.get(id);
    if (key === null) throw new SvcError('SVC-KEY-001', 'there is no such key; GET /v1/keys lists the keys created at run time');
    return key;
  }

  #requireValid(id: string): void {
    if (!this.#parts.keys.isValid(id)) throw new SvcError('SVC-KEY-002', 'the key was revoked or has expired: create another');
  }

  /** Refuses to rotate a key that has been rotated already. */
  #requireNewest(id: string): void {
    const successor = this.#parts.keys.successorOf(id);
    if (successor !== undefined)
      throw new SvcError('SVC-KEY-002', `the key has already been rotated: rotate ${successor}, which replaced it`);
  }

  /** Refuses a new key that would last longer than the caller's own expiring key. */
  #requireNoLonger({ key_id }: Principal, expires_at: string | null): void {
    const own = key_id === null ? null : this.#known(key_id).expires_at;
    if (own === null || (expires_at !== null && Date.parse(expires_at) <= Date.parse(own))) return;
    throw new SvcError(
      'SVC-AUTH-002',
      `this key expires at ${own}, and a key that it creates must not last longer: set expires_at`,
    );
  }

  #requireFuture(expires_at: string | null): void {
    if (expires_at === null || Date.parse(expires_at) > this.#parts.clock.now()) return;
    throw new SvcError('SVC-REQ-001', 'body/expires_at must be in the future');
  }
}

function operation(action: OperationAction, caller: Principal, id: string, reason: string | null) {
  return { action, actor: actorOf(caller), target: { kind: 'key', name: id }, reason } satisfies Partial<NewOperation>;
}

function secretOf(): { key: string; key_sha256: string } {
  const { key, key_hash } = newKey();
  return { key, key_sha256: key_hash.slice('sha256:'.length) };
}

/** Digest of a key's validity. The `before` of an operation equals the `after` of the previous one. */
function digestOf({ principal_id, roles, routes, namespaces, team, expires_at, key_sha256 }: KeyCreated): string {
  return sha256(canonicalJson({ principal_id, roles, routes, namespaces, team, expires_at, key_sha256 }));
}
