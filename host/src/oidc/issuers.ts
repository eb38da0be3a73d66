import { SvcError } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';
import { decodeJwt } from 'jose';
import type { OidcIssuer } from '../config/index.ts';
import type { TokenIssuers } from '../http/auth.ts';
import type { Principal } from '../http/key-ring.ts';
import { principalOf } from './claims.ts';
import { Issuer, type IssuerDeps } from './issuer.ts';

/** An issuer with its keys, and what its claims mean. */
export interface IssuerEntry {
  readonly issuer: Issuer;
  readonly settings: OidcIssuer;
}

/** The issuers of one configuration. */
export class Issuers implements TokenIssuers {
  readonly #entries: ReadonlyMap<string, IssuerEntry>;

  /** @param former those of the configuration before: whose tokens are checked as before keeps its keys */
  constructor(settings: readonly OidcIssuer[], deps: IssuerDeps, former: Issuers | null = null) {
    const before: ReadonlyMap<string, IssuerEntry> = former === null ? new Map() : former.#entries;
    this.#entries = new Map(
      settings.map((each) => {
        const same = before.get(each.issuer)?.issuer;
        const isKept = same !== undefined && checkOf(same.settings) === checkOf(each);
        return [each.issuer, { issuer: isKept ? same : new Issuer(each, deps), settings: each }];
      }),
    );
  }

  /** Fetches the keys of those that have none, so that the first caller does not wait for them. What fails is logged: the gateway serves without an issuer. */
  async warm(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ issuer }) => (issuer.isKnown ? null : issuer.refresh())));
  }

  /** Those that sign people in on the pages, by name. */
  get forPages(): ReadonlyMap<string, IssuerEntry> {
    return new Map([...this.#entries].filter(([, { settings }]) => settings.client_id !== undefined));
  }

  async principalOf(token: string): Promise<Principal> {
    const entry = this.#entries.get(issuerOf(token));
    if (entry === undefined) throw new SvcError('SVC-AUTH-001', 'the token is not of a configured issuer');
    const { issuer, settings } = entry;
    return principalOf(await issuer.verify(token, settings.audience), settings);
  }
}

/** What an {@link Issuer} is made of; the rest of the settings is the meaning of claims. */
function checkOf(settings: OidcIssuer): string {
  const { issuer, audience, algorithms, clock_skew_ms, jwks_max_age_ms, client_id = null, client_secret = null } = settings;
  return canonicalJson({ issuer, audience, algorithms, clock_skew_ms, jwks_max_age_ms, client_id, client_secret });
}

/** Unverified: it only says whose keys to verify the token with. */
function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    return '';
  }
}
