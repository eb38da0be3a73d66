import { hash, timingSafeEqual } from 'node:crypto';

export const ROLES = ['call', 'approve', 'audit', 'rag', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Who calls, and what for. `routes`, `roles` and `namespaces` null: all of them. */
export interface Principal {
  readonly principal_id: string;
  readonly routes: readonly string[] | null;
  readonly roles: readonly Role[] | null;
  /** Of retrieval: names, or prefixes with a trailing `*`. */
  readonly namespaces: readonly string[] | null;
  /** Null: none is known. */
  readonly team: string | null;
  /** The person or program that an issuer verified; null for a key. */
  readonly identity: { readonly issuer: string; readonly subject: string } | null;
}

/** Whether a key is for what takes one of these roles. */
export function hasRole({ roles }: Principal, ...wanted: readonly Role[]): boolean {
  return roles === null || wanted.some((role) => roles.includes(role));
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

export interface KeyEntry extends Omit<Principal, 'team' | 'identity'> {
  /** Hex of the SHA-256 of the whole key. */
  readonly key_sha256: string;
}

const KEY_FORM = /^svc-[0-9a-fA-F]{64}$/;

/** Knows keys by their hash only. */
export class KeyRing {
  /** The digests as hex, in bytes: `hash` takes three times as long for a buffer of its own. */
  #entries: readonly { digest: Buffer; principal: Principal }[] = [];

  constructor(entries: readonly KeyEntry[]) {
    this.replace(entries);
  }

  /** Only these keys are known from now on. */
  replace(entries: readonly KeyEntry[]): void {
    this.#entries = entries.map(({ key_sha256, ...principal }) => ({
      digest: Buffer.from(key_sha256.toLowerCase(), 'latin1'),
      principal: { ...principal, team: null, identity: null },
    }));
  }

  /** Whether any key of this principal may decide on runs of the route. */
  canApprove(principal_id: string, route: string): boolean {
    return this.#entries.some(
      ({ principal }) => principal.principal_id === principal_id && hasRole(principal, 'approve') && isForRoute(principal, route),
    );
  }

  /** The principal of an `Authorization` header, null for anything but `Bearer` and a known key. */
  find(authorization: string | undefined): Principal | null {
    const [scheme, key, ...more] = (authorization ?? '').split(' ');
    if (scheme?.toLowerCase() !== 'bearer' || key === undefined || more.length > 0 || !KEY_FORM.test(key)) return null;
    const digest = Buffer.from(hash('sha256', key, 'hex'), 'latin1');
    let found: Principal | null = null;
    // Every entry is compared, so that the time taken tells nothing about which one matched.
    for (const entry of this.#entries) if (timingSafeEqual(entry.digest, digest)) found = entry.principal;
    return found;
  }
}
