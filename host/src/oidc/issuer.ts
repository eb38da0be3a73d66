import { type Clock, errorName, SvcError } from '@svc/contracts';
import { Network } from '@svc/toolkit/upstream';
import { createLocalJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Configuration } from 'openid-client';
import type { Logger } from 'pino';
import type { OidcIssuer } from '../config/index.ts';
import { discoverIssuer, fetchKeys, type PrivateFetch, privateFetch } from './discovery.ts';

/** Keys that are older than this are fetched again before they are used. */
const FETCH_AFTER_MS = 600_000;
/** Minimum time between two fetches, successful or not, so that tokens with invented key ids do not cause requests to the issuer. */
const COOLDOWN_MS = 30_000;

export interface IssuerDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onFailure: (issuer: string) => void;
  /** Folder of the configuration. Paths of certificates start from it. */
  readonly directory: string;
}

/** Metadata and keys of an issuer at one time. */
interface Known {
  readonly client: Configuration;
  readonly find: JWTVerifyGetKey;
  /** In milliseconds of the monotonic clock. */
  readonly fetched_at: number;
}

/** An issuer with its keys, which are fetched when they are needed and kept for a limited time. */
export class Issuer {
  readonly settings: OidcIssuer;
  readonly #deps: IssuerDeps;
  readonly #privateFetch: PrivateFetch;
  #known: Known | null = null;
  #tried_at = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | null = null;

  constructor(settings: OidcIssuer, deps: IssuerDeps) {
    this.settings = settings;
    this.#deps = deps;
    this.#privateFetch = privateFetch(new Network(settings.network, deps));
  }

  /**
   * The claims of a token, after checking its signature, issuer, audience and times.
   * @throws {SvcError} SVC-AUTH-001 for an invalid token, SVC-AUTH-004 if it cannot be checked
   */
  async verify(token: string, audience: string): Promise<JWTPayload> {
    const { issuer, algorithms, clock_skew_ms } = this.settings;
    try {
      const { payload } = await jwtVerify(token, (header, input) => this.#keyOf(header, input), {
        issuer,
        audience,
        algorithms,
        clockTolerance: clock_skew_ms / 1000,
        currentDate: new Date(this.#deps.clock.now()),
        requiredClaims: ['exp', 'sub'],
      });
      return payload;
    } catch (error) {
      throw error instanceof errors.JOSEError ? invalidToken(error) : error;
    }
  }

  /** Whether the issuer's keys were ever fetched. */
  get isKnown(): boolean {
    return this.#known !== null;
  }

  /** For signing people in. @throws {SvcError} SVC-AUTH-004 if it cannot be reached */
  async client(): Promise<Configuration> {
    return (await this.#current()).client;
  }

  /** Fetches metadata and keys, unless that was tried recently. Never rejects: a failure is logged and counted. */
  refresh(): Promise<void> {
    if (this.#fetching === null && this.#now - this.#tried_at >= COOLDOWN_MS) {
      this.#tried_at = this.#now;
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = null;
      });
    }
    return this.#fetching ?? Promise.resolve();
  }

  async #keyOf(...asked: Parameters<JWTVerifyGetKey>): Promise<Awaited<ReturnType<JWTVerifyGetKey>>> {
    const { find } = await this.#current();
    try {
      return await find(...asked);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The issuer may have a new key.
      await this.refresh();
      return (await this.#current()).find(...asked);
    }
  }

  async #current(): Promise<Known> {
    if (this.#age >= Math.min(FETCH_AFTER_MS, this.settings.jwks_max_age_ms)) await this.refresh();
    if (this.#known !== null && this.#age < this.settings.jwks_max_age_ms) return this.#known;
    const retry_after_s = Math.max(1, Math.ceil((this.#tried_at + COOLDOWN_MS - this.#now) / 1000));
    throw new SvcError('SVC-AUTH-004', 'the issuer cannot be reached, so the token cannot be checked; try again later', {
      retry_after_s,
    });
  }

  async #fetch(): Promise<void> {
    const { issuer } = this.settings;
    try {
      const client = await discoverIssuer(this.settings, this.#privateFetch);
      this.#known = { client, find: createLocalJWKSet(await fetchKeys(client, this.#privateFetch)), fetched_at: this.#now };
    } catch (error) {
      this.#deps.logger.warn({ event: 'oidc_issuer_failed', issuer, reason: reasonOf(error) });
      this.#deps.onFailure(issuer);
    }
  }

  get #age(): number {
    return this.#known === null ? Number.POSITIVE_INFINITY : this.#now - this.#known.fetched_at;
  }

  get #now(): number {
    return this.#deps.clock.monotonic();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not accepted',
  ERR_JWKS_NO_MATCHING_KEY: 'the issuer does not have the key that signed it',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it does not name the key that signed it',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is invalid',
};

/** Contains nothing from the token. The claim names come from the gateway. */
function invalidToken(error: errors.JOSEError): SvcError {
  const claim = error instanceof errors.JWTClaimValidationFailed ? `its claim ${error.claim} is not accepted` : undefined;
  const why = REASONS[error.code] ?? claim ?? 'it is malformed';
  return new SvcError('SVC-AUTH-001', `the token is not valid: ${why}`);
}

/** The code of the first cause, or the error's name. Messages may quote a server's response. */
export function reasonOf(error: unknown): string {
  let reason = errorName(error);
  for (let fault = error; fault instanceof Error; fault = fault.cause)
    if ('code' in fault && typeof fault.code === 'string') reason = fault.code;
  return reason;
}
