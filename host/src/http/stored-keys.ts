import type { Clock, Operation } from '@svc/contracts';
import type { ApplyOperation } from '@svc/runtime/records';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ROLES } from '../config/roles.ts';
import type { KeyGrant } from './key-grant.ts';
import type { MoreKeys, Principal } from './key-ring.ts';

/** A key that was created at run time. Times are ISO 8601 in UTC. */
export interface StoredKey extends KeyGrant {
  readonly id: string;
  /** Lower-case hex of the SHA-256 of the whole key. */
  readonly key_sha256: string;
  readonly created_at: string;
  readonly created_by: string | null;
  /** From this time on, the key is not valid. Null: never. */
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** The id of the key that it replaces, or null. */
  readonly rotated_from: string | null;
}

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const keySha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** The `change` of a `key.created` record, whose target is the key's id. */
const Created = Type.Object({
  principal_id: Type.String(),
  roles: Type.Array(Type.Enum([...ROLES])),
  routes: Type.Union([Type.Array(Type.String()), Type.Null()]),
  namespaces: Type.Union([Type.Array(Type.String()), Type.Null()]),
  team: textOrNull,
  expires_at: textOrNull,
  key_sha256: keySha256,
});
export type KeyCreated = KeyGrant & Pick<Static<typeof Created>, 'expires_at' | 'key_sha256'>;

/** The `change` of a `key.rotated` record, whose target is the replaced key. That key is valid until `until`. Null: the record itself ends it. */
const Rotated = Type.Object({
  id: Type.String(),
  key_sha256: keySha256,
  expires_at: textOrNull,
  until: textOrNull,
});
export type KeyRotated = Static<typeof Rotated>;

interface Held {
  readonly key: StoredKey;
  readonly principal: Principal;
  /** Milliseconds since the epoch. Infinity: never. */
  readonly expires_ms: number;
}

/** The keys created at run time, from the operations log. A record in an unknown form makes no key valid, but ends the key it replaces. */
export class StoredKeys implements MoreKeys {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  readonly #ids = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Applies a record of the operations log. Ignores records of other kinds. */
  readonly apply: ApplyOperation = ({ action, target, change, at, actor }) => {
    const old = this.get(target.name);
    const made = { created_at: at, created_by: actor.principal_id };
    switch (action) {
      case 'key.created':
        if (!Value.Check(Created, change)) return false;
        this.#put({ id: target.name, ...change, ...made, revoked_at: null, rotated_from: null });
        return true;
      case 'key.rotated':
        return old !== null && this.#rotate(old, change, made);
      case 'key.revoked':
        if (old !== null) this.#put({ ...old, revoked_at: at });
        return old !== null;
      default:
        return true;
    }
  };

  #rotate(old: StoredKey, change: Operation['change'], made: Pick<StoredKey, 'created_at' | 'created_by'>): boolean {
    const isKnown = Value.Check(Rotated, change);
    const until = isKnown ? change.until : null;
    // Not compared with the clock of this process, which may be behind.
    this.#put(until === null ? { ...old, revoked_at: made.created_at } : { ...old, expires_at: until });
    if (!isKnown) return false;
    const { id, key_sha256, expires_at } = change;
    this.#put({ ...old, id, key_sha256, expires_at, ...made, rotated_from: old.id });
    return true;
  }

  get(id: string): StoredKey | null {
    return this.#held.get(id)?.key ?? null;
  }

  /** All keys, including invalid ones, in the order of creation. */
  all(): StoredKey[] {
    return [...this.#held.values()].map(({ key }) => key);
  }

  /** Id of the key that replaced it, or undefined. */
  successorOf(id: string): string | undefined {
    return [...this.#held.values()].find(({ key }) => key.rotated_from === id)?.key.id;
  }

  isValid(id: string): boolean {
    const held = this.#held.get(id);
    return held !== undefined && this.#isValid(held);
  }

  find(sha256: string): Principal | null {
    const held = this.#held.get(this.#ids.get(sha256) ?? '');
    return held !== undefined && this.#isValid(held) ? held.principal : null;
  }

  *principals(): Iterable<Principal> {
    for (const held of this.#held.values()) if (this.#isValid(held)) yield held.principal;
  }

  *everyone(): Iterable<Principal> {
    for (const { principal } of this.#held.values()) yield principal;
  }

  #isValid({ key, expires_ms }: Held): boolean {
    return key.revoked_at === null && this.#clock.now() < expires_ms;
  }

  #put(key: StoredKey): void {
    const { id, principal_id, roles, routes, namespaces, team, expires_at } = key;
    const expires_ms = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
    this.#held.set(id, {
      key,
      expires_ms,
      principal: { principal_id, roles, routes, namespaces, team, identity: null, key_id: id },
    });
    this.#ids.set(key.key_sha256, id);
  }
}
