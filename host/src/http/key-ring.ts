import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../config/roles.ts';

export type { Role } from '../config/roles.ts';

/** Who calls, and what for. `routes`, `roles` and `namespaces` null: all of them. */
export interface Principal {
  readonly principal_id: string;
  readonly routes: readonly string[] | null;
  readonly roles: readonly Role[] | null;
  /** Of retrieval: names, or prefixes with a trailing `*`. */
  readonly namespaces: readonly string[] | null;
  /** Whose spend it counts for beside its own; null: nobody's. */
  readonly team: string | null;
  /** The person or program that an issuer verified; null for a key. */
  readonly identity: { readonly issuer: string; readonly subject: string } | null;
  /** Id of a key that was created at run time; null for any other way in. */
  readonly key_id: string | null;
}

/** Whether a key is for what takes one of these roles. */
export function hasRole({ roles }: Principal, ...wanted: readonly Role[]): boolean {
  return roles === null || wanted.some((role) => roles.includes(role));
}

/** Whether a key is for some routes or namespaces only, and so not for what concerns all. */
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

/** Keys beside those of the configuration. What they answer may change between two calls. */
export interface MoreKeys {
  /** @param sha256 lower-case hex; null for a key that is unknown or not valid now */
  find(sha256: string): Principal | null;
  /** What a key is for never changes: as long as it is valid, it is for the same. */
  isValid(key_id: string): boolean;
  /** Of every key that is valid now. */
  principals(): Iterable<Principal>;
  /** Of every key that there was. */
  everyone(): Iterable<Principal>;
}

/** The scheme is in any case (RFC 9110, 11.1), the key's prefix only as it is. */
const BEARER_KEY = /^[Bb][Ee][Aa][Rr][Ee][Rr] (svc-[0-9a-fA-F]{64})$/;

/**
 * Knows keys by their hash only. A key is looked up by its hash: how long that takes may tell something about hashes, and the hash of a
 * random key of 256 bits tells nothing about the key.
 */
export class KeyRing {
  #configured: ReadonlyMap<string, Principal> = new Map();
  readonly #more: MoreKeys;
  /** Of every configuration that was in force, by the key's digest. */
  readonly #ever = new Map<string, Principal>();
  /** Of callers with a key of a configuration, by which one they came. */
  readonly #digests = new WeakMap<Principal, string>();

  constructor(entries: readonly KeyEntry[], more: MoreKeys) {
    this.replace(entries);
    this.#more = more;
  }

  /** Only these keys of the configuration are known from now on. */
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

  /** @param may whether a key of the role is for what is asked */
  isAdmin(principal_id: string, may: (key: Principal) => boolean): boolean {
    return this.#valid(principal_id).some((key) => hasRole(key, 'admin') && may(key));
  }

  /** Whoever has a key, or had one: what such a key began may be under way. */
  principalIds(): string[] {
    return [...new Set(this.#everyone().map(({ principal_id }) => principal_id))];
  }

  /** What each key that this principal has, or had, is for. */
  keysOf(principal_id: string): Principal[] {
    return this.#everyone().filter((key) => key.principal_id === principal_id);
  }

  #everyone(): Principal[] {
    return [...this.#ever.values(), ...this.#more.everyone()];
  }

  #valid(principal_id: string): Principal[] {
    return [...this.#configured.values(), ...this.#more.principals()].filter((key) => key.principal_id === principal_id);
  }

  /** The principal of an `Authorization` header, null for anything but `Bearer` and a valid key. */
  find(authorization: string | undefined): Principal | null {
    const [, key] = BEARER_KEY.exec(authorization ?? '') ?? [];
    if (key === undefined) return null;
    const digest = hash('sha256', key, 'hex');
    return this.#configured.get(digest) ?? this.#more.find(digest);
  }

  /** Whether the key of a caller that {@link find} gave is still valid, and for the same. */
  stillKnows(caller: Principal): boolean {
    if (caller.key_id !== null) return this.#more.isValid(caller.key_id);
    const digest = this.#digests.get(caller);
    return digest !== undefined && isDeepStrictEqual(this.#configured.get(digest), caller);
  }
}
