import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../config/roles.ts';

export type { Role } from '../config/roles.ts';

/** The caller and its access. `routes`, `roles` and `namespaces` null: all. */
export interface Principal {
  readonly principal_id: string;
  readonly routes: readonly string[] | null;
  readonly roles: readonly Role[] | null;
  /** Retrieval namespaces: names, or prefixes with a trailing `*`. */
  readonly namespaces: readonly string[] | null;
  /** The team whose budget the principal's spend also counts towards, or null. */
  readonly team: string | null;
  /** The person or program that an issuer verified. Null for a key. */
  readonly identity: { readonly issuer: string; readonly subject: string } | null;
  /** Groups of approvers, from the claims of a token. Absent: none. The configuration may add more. */
  readonly groups?: readonly string[];
  /** Id of a key that was created at run time. Null for any other credential. */
  readonly key_id: string | null;
}

/** Whether the caller has one of these roles. */
export function hasRole({ roles }: Principal, ...wanted: readonly Role[]): boolean {
  return roles === null || wanted.some((role) => roles.includes(role));
}

/** Whether a key is limited to routes or namespaces. If so, it may not change anything that affects all of them. */
export function isLimited({ routes, namespaces }: Pick<Principal, 'routes' | 'namespaces'>): boolean {
  return routes !== null || namespaces !== null;
}

export function isForRoute({ routes }: Principal, route: string): boolean {
  return routes === null || routes.includes(route);
}

export function isForNamespace({ namespaces }: Principal, namespace: string): boolean {
  return (
    namespaces === null ||
    namespaces.some((name) => (name.endsWith('*') ? namespace.startsWith(name.slice(0, -1)) : name === namespace))
  );
}

export interface KeyEntry extends Omit<Principal, 'identity' | 'key_id'> {
  /** Hex of the SHA-256 of the whole key. */
  readonly key_sha256: string;
}

/** Keys that are not in the configuration. Results may change between two calls. */
export interface MoreKeys {
  /** @param sha256 lower-case hex @returns null for a key that is unknown or not valid now */
  find(sha256: string): Principal | null;
  /** The grant of a key never changes while the key is valid. */
  isValid(key_id: string): boolean;
  /** The principals of all valid keys. */
  principals(): Iterable<Principal>;
  /** The principals of all keys, including invalid ones. */
  everyone(): Iterable<Principal>;
}

/** Matches a header with a key. The scheme is case-insensitive (RFC 9110, 11.1); the key's prefix is not. */
const BEARER_KEY = /^[Bb][Ee][Aa][Rr][Ee][Rr] (svc-[0-9a-fA-F]{64})$/;

/**
 * Finds callers by their keys, of which it stores only hashes. The time of a lookup may reveal something about hashes, but the hash of a random key
 * of 256 bits reveals nothing about the key.
 */
export class KeyRing {
  #configured: ReadonlyMap<string, Principal> = new Map();
  readonly #more: MoreKeys;
  /** The keys of all configurations that have been active, by hash. */
  readonly #ever = new Map<string, Principal>();
  /** The key's digest for each caller that has a key of a configuration. */
  readonly #digests = new WeakMap<Principal, string>();

  constructor(entries: readonly KeyEntry[], more: MoreKeys) {
    this.replace(entries);
    this.#more = more;
  }

  /** Replaces the keys of the configuration. */
  replace(entries: readonly KeyEntry[]): void {
    const configured = new Map<string, Principal>();
    for (const { key_sha256, ...entry } of entries) {
      const [digest, principal] = [key_sha256.toLowerCase(), { ...entry, identity: null, key_id: null }];
      this.#ever.set(digest, principal);
      this.#digests.set(principal, digest);
      configured.set(digest, principal);
    }
    this.#configured = configured;
  }

  /** Whether any key of this principal may decide on runs of the route. */
  canApprove(principal_id: string, route: string): boolean {
    return this.#valid(principal_id).some((key) => hasRole(key, 'approve') && isForRoute(key, route));
  }

  /** @param may whether a key with the role admin may make the change */
  isAdmin(principal_id: string, may: (key: Principal) => boolean): boolean {
    return this.#valid(principal_id).some((key) => hasRole(key, 'admin') && may(key));
  }

  /** Principals that have or had a key. Their runs may still be in progress. */
  principalIds(): string[] {
    return [...new Set(this.#everyone().map(({ principal_id }) => principal_id))];
  }

  /** The grant of every key that this principal has or had. */
  keysOf(principal_id: string): Principal[] {
    return this.#everyone().filter((key) => key.principal_id === principal_id);
  }

  #everyone(): Principal[] {
    return [...this.#ever.values(), ...this.#more.everyone()];
  }

  #valid(principal_id: string): Principal[] {
    return [...this.#configured.values(), ...this.#more.principals()].filter((key) => key.principal_id === principal_id);
  }

  /** The principal of an `Authorization` header. Null for anything but `Bearer` and a valid key. */
  find(authorization: string | undefined): Principal | null {
    const [, key] = BEARER_KEY.exec(authorization ?? '') ?? [];
    if (key === undefined) return null;
    const digest = hash('sha256', key, 'hex');
    return this.#configured.get(digest) ?? this.#more.find(digest);
  }

  /** Whether the key of a caller that {@link find} returned is still valid and has the same grant. */
  stillKnows(caller: Principal): boolean {
    if (caller.key_id !== null) return this.#more.isValid(caller.key_id);
    const digest = this.#digests.get(caller);
    return digest !== undefined && isDeepStrictEqual(this.#configured.get(digest), caller);
  }
}
