import { type Clock, SvcError } from '@svc/contracts';
import type { ContentKeys } from '@svc/runtime/content';
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientError,
  type Configuration,
  calculatePKCECodeChallenge,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { Logger } from 'pino';
import type { PagePath } from '../http/schemas.ts';
import { ATTEMPT_S, type Attempt, type Person, type SignIn } from '../http/sign-in.ts';
import { isPrivateWay } from '../net/loopback.ts';
import type { Attempts } from './attempts.ts';
import { principalOf } from './claims.ts';
import { reasonOf } from './issuer.ts';
import type { IssuerEntry } from './issuers.ts';
import { leavesOf } from './leaves.ts';
import { seal, unseal } from './sealed.ts';
import { csrfOf, type Sessions } from './sessions.ts';

export interface PageSignInDeps {
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  readonly keys: ContentKeys;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The leaf of the content key for attempts. */
const LEAF = 'sign-in attempts';
/** Requested if the issuer supports them: some issuers return groups, names or addresses only then. */
const SCOPES = ['profile', 'email', 'groups'];
const RETRY_AFTER_S = 30;
/** An error code as of RFC 6749, section 5.2. Anything else must not be logged. */
const OAUTH_ERROR = /^[a-z_]{1,40}$/;
/** The issuer responded with an error of its own. */
const OUT_OF_ORDER = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];

/** Signs people in with the issuers that have a client for the pages. */
export class PageSignIn implements SignIn {
  readonly #issuers: ReadonlyMap<string, IssuerEntry>;
  readonly #deps: PageSignInDeps;

  constructor(issuers: ReadonlyMap<string, IssuerEntry>, deps: PageSignInDeps) {
    this.#issuers = issuers;
    this.#deps = deps;
  }

  get issuers(): readonly string[] {
    return [...this.#issuers.keys()];
  }

  async begin(name: string, redirect_uri: string, page: PagePath): Promise<{ location: string; attempt: string }> {
    const entry = this.#issuers.get(name);
    if (entry === undefined) throw new SvcError('SVC-REQ-001', 'querystring/issuer is not an issuer with a client_id');
    const client = await entry.issuer.client();
    const [state, nonce, code_verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const asked = {
      redirect_uri,
      scope: scopeOf(client),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: 'S256',
    };
    const { clock, keys, logger } = this.#deps;
    const location = addressFor(() => buildAuthorizationUrl(client, asked));
    if (location === null) {
      logger.warn({ event: 'sign_in_failed', issuer: name, reason: 'authorization_endpoint' });
      throw new SvcError('SVC-AUTH-004', 'the metadata of the issuer has no https authorization endpoint', {
        retry_after_s: RETRY_AFTER_S,
      });
    }
    const attempt = { issuer: name, page, state, nonce, code_verifier } satisfies Attempt;
    return { location: location.href, attempt: await seal(attempt, leavesOf(LEAF, keys).newest, clock.now() + ATTEMPT_S * 1000) };
  }

  async open(attempt: string): Promise<Attempt | null> {
    const { clock, keys } = this.#deps;
    for (const key of leavesOf(LEAF, keys).all) {
      const opened = await unseal<Attempt>(attempt, key, clock.now());
      if (opened !== null) return opened;
    }
    return null;
  }

  async complete(callback: URL, { issuer: name, state, nonce, code_verifier }: Attempt): Promise<string> {
    const entry = this.#issuers.get(name);
    if (entry === undefined) throw new SvcError('SVC-AUTH-001', 'the issuer is no longer configured for sign-in');
    const { issuer, settings } = entry;
    const client = await issuer.client();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: code_verifier, idTokenExpected: true };
    const ask = () =>
      authorizationCodeGrant(client, callback, checks).catch((error: unknown) => {
        throw this.#failed(name, error);
      });
    // A wrong state is refused before the issuer is asked, so that the attempt can still be completed.
    const isOfAttempt = callback.searchParams.get('state') === state;
    const { id_token = '' } = await (isOfAttempt ? this.#deps.attempts.take(state, ask) : ask());
    // The library relies on TLS. Signature, algorithm and clock skew are checked as for any token.
    const claims = await issuer.verify(id_token, client.clientMetadata().client_id);
    principalOf(claims, settings);
    return this.#deps.sessions.open({ issuer: name, claims });
  }

  /** The claims are mapped again each time. */
  async find(session_id: string): Promise<Person | null> {
    const { sessions } = this.#deps;
    const verified = await sessions.find(session_id);
    const entry = this.#issuers.get(verified?.issuer ?? '');
    if (verified === null || entry === undefined) return null;
    return entry.admit(verified.claims, async () => (await sessions.find(session_id)) !== null);
  }

  csrfOf(session_id: string): string {
    return csrfOf(session_id);
  }

  async end(session_id: string): Promise<string | null> {
    const { sessions } = this.#deps;
    const verified = await sessions.find(session_id);
    await sessions.end(session_id);
    const client = await this.#issuers
      .get(verified?.issuer ?? '')
      ?.issuer.client()
      .catch(() => null);
    return client ? (addressFor(() => buildEndSessionUrl(client))?.href ?? null) : null;
  }

  /** Contains nothing from the issuer or the browser. */
  #failed(issuer: string, error: unknown): SvcError {
    const isAnswered = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError;
    const reason = isAnswered && OAUTH_ERROR.test(error.error) ? error.error : reasonOf(error);
    this.#deps.logger.warn({ event: 'sign_in_failed', issuer, reason });
    const isDown = error instanceof TypeError || (error instanceof ClientError && OUT_OF_ORDER.includes(error.code ?? ''));
    return isDown
      ? new SvcError('SVC-AUTH-004', 'the issuer cannot be reached; try again later', {
          retry_after_s: RETRY_AFTER_S,
          cause: error,
        })
      : new SvcError('SVC-AUTH-001', 'the issuer did not sign you in, or its response belongs to another attempt; sign in again');
  }
}

/** An address to send a browser to; null: the metadata has none, or an invalid one. */
function addressFor(build: () => URL): URL | null {
  try {
    const address = build();
    return isPrivateWay(address) && address.username + address.password === '' ? address : null;
  } catch {
    return null;
  }
}

function scopeOf(client: Configuration): string {
  const { scopes_supported = [] } = client.serverMetadata();
  return ['openid', ...SCOPES.filter((scope) => scopes_supported.includes(scope))].join(' ');
}
