import { isDeepStrictEqual } from 'node:util';
import { type Clock, SvcError } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';
import { decodeJwt, type JWTPayload } from 'jose';
import type { OidcIssuer } from '../config/index.ts';
import type { TokenIssuers } from '../http/auth.ts';
import type { Principal } from '../http/key-ring.ts';
import type { Person } from '../http/sign-in.ts';
import { principalOf } from './claims.ts';
import { Issuer, type IssuerDeps } from './issuer.ts';

/** An issuer with its keys and the mapping of its claims. Replaced when its settings change. */
export class IssuerEntry {
  readonly issuer: Issuer;
  readonly settings: OidcIssuer;
  /** For each caller, checks whether the token or session is still valid. */
  readonly #callers = new WeakMap<Principal, () => boolean | Promise<boolean>>();

  constructor(issuer: Issuer, settings: OidcIssuer) {
    this.issuer = issuer;
    this.settings = settings;
  }

  /** @throws {SvcError} SVC-AUTH-001 for claims that name nobody */
  admit(claims: JWTPayload, isValid: () => boolean | Promise<boolean>): Person {
    const caller = principalOf(claims, this.settings);
    this.#callers.set(caller, isValid);
    return caller;
  }

  stillKnows(caller: Principal): boolean | Promise<boolean> {
    return this.#callers.get(caller)?.() ?? false;
  }
}

/** The issuers of one configuration. */
export class Issuers implements TokenIssuers {
  readonly #entries: ReadonlyMap<string, IssuerEntry>;
  readonly #clock: Clock;

  /**
   * @param former the issuers of the previous configuration; unchanged ones are kept, and an issuer whose token checks are unchanged keeps its keys
   */
  constructor(settings: readonly OidcIssuer[], deps: IssuerDeps, former: Issuers | null = null) {
    const before: ReadonlyMap<string, IssuerEntry> = former === null ? new Map() : former.#entries;
    this.#clock = deps.clock;
    this.#entries = new Map(
      settings.map((each) => {
        const entry = before.get(each.issuer);
        if (entry !== undefined && isDeepStrictEqual(entry.settings, each)) return [each.issuer, entry];
        const same = entry?.issuer;
        const isKept = same !== undefined && checkOf(same.settings) === checkOf(each);
        return [each.issuer, new IssuerEntry(isKept ? same : new Issuer(each, deps), each)];
      }),
    );
  }

  /** Fetches missing keys, so that the first caller need not wait. Failures are logged; the gateway also serves without an issuer. */
  async warm(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ issuer }) => (issuer.isKnown ? null : issuer.refresh())));
  }

  /** Issuers for signing in on the pages, by name. */
  get forPages(): ReadonlyMap<string, IssuerEntry> {
    return new Map([...this.#entries].filter(([, { settings }]) => settings.client_id !== undefined));
  }

  async principalOf(token: string): Promise<Principal> {
    const entry = this.#entries.get(issuerOf(token));
    if (entry === undefined) throw new SvcError('SVC-AUTH-001', 'the issuer of the token is not configured');
    const { issuer, settings } = entry;
    const claims = await issuer.verify(token, settings.audience);
    const ends = (claims.exp ?? 0) * 1000 + settings.clock_skew_ms;
    return entry.admit(claims, () => this.#clock.now() < ends);
  }

  /** Whether the issuer that admitted a caller still has the same settings, and the caller's token or session is still valid. */
  stillKnows(caller: Principal): boolean | Promise<boolean> {
    return this.#entries.get(caller.identity?.issuer ?? '')?.stillKnows(caller) ?? false;
  }
}

/** The settings that an {@link Issuer} depends on. The others only map claims. */
function checkOf(settings: OidcIssuer): string {
  const { issuer, audience, algorithms, clock_skew_ms, jwks_max_age_ms, client_id = null, client_secret = null } = settings;
  return canonicalJson({ issuer, audience, algorithms, clock_skew_ms, jwks_max_age_ms, client_id, client_secret });
}

/** The issuer that a token names. It is not verified, and only selects the keys to verify the token with. */
function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    return '';
  }
}
