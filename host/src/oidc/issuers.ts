import { SvcError } from '@svc/contracts';
import { decodeJwt } from 'jose';
import type { OidcIssuer } from '../config/index.ts';
import type { TokenIssuers } from '../http/auth.ts';
import type { Principal } from '../http/key-ring.ts';
import { principalOf } from './claims.ts';
import { Issuer, type IssuerDeps } from './issuer.ts';

/** The issuers of the configuration. */
export class Issuers implements TokenIssuers {
  readonly #issuers: ReadonlyMap<string, Issuer>;

  constructor(settings: readonly OidcIssuer[], deps: IssuerDeps) {
    this.#issuers = new Map(settings.map((each) => [each.issuer, new Issuer(each, deps)]));
  }

  /** Fetches the keys of all, so that the first caller does not wait for them. What fails is logged: the gateway starts without an issuer. */
  async warm(): Promise<void> {
    await Promise.all([...this.#issuers.values()].map((issuer) => issuer.refresh()));
  }

  /** Those that sign people in on the pages, by name. */
  get forPages(): ReadonlyMap<string, Issuer> {
    return new Map([...this.#issuers].filter(([, { settings }]) => settings.client_id !== undefined));
  }

  async principalOf(token: string): Promise<Principal> {
    const issuer = this.#issuers.get(issuerOf(token));
    if (issuer === undefined) throw new SvcError('SVC-AUTH-001', 'the token is not of a configured issuer');
    const { settings } = issuer;
    return principalOf(await issuer.verify(token, settings.audience), settings);
  }
}

/** Unverified: it only says whose keys to verify the token with. */
function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    return '';
  }
}
