import type { Principal } from './key-ring.ts';
import type { PagePath } from './schemas.ts';

/** A person whom an issuer verified. */
export interface Person extends Principal {
  readonly identity: NonNullable<Principal['identity']>;
}

/** The time limit of a sign-in, in seconds. */
export const ATTEMPT_S = 600;

/** Stored by the browser while the person is at the issuer. */
export interface Attempt {
  readonly issuer: string;
  readonly page: PagePath;
  readonly state: string;
  readonly nonce: string;
  readonly code_verifier: string;
}

/** Signs people in with an issuer's authorization code flow (OpenID Connect Core 1.0, section 3.1). */
export interface SignIn {
  /** Issuers that the pages offer. */
  readonly issuers: readonly string[];
  /**
   * @returns `location`: the address at the issuer; `attempt`: sealed, for the browser to bring back
   * @throws {SvcError} SVC-REQ-001 for an unknown issuer, SVC-AUTH-004 for one that cannot be reached
   */
  begin(issuer: string, redirect_uri: string, page: PagePath): Promise<{ readonly location: string; readonly attempt: string }>;
  /** Opens a sealed attempt of {@link begin}; null: invalid or too old. */
  open(attempt: string): Promise<Attempt | null>;
  /**
   * @param callback the address that the issuer sent the browser to
   * @returns the id of a new session
   * @throws {SvcError} SVC-AUTH-001, SVC-AUTH-004
   */
  complete(callback: URL, attempt: Attempt): Promise<string>;
  /** The person of a session; null: none, or it has ended. @throws {SvcError} SVC-AUTH-001 if its claims no longer name a principal */
  find(session_id: string): Promise<Person | null>;
  /** The required `x-svc-csrf` of requests with this session. */
  csrfOf(session_id: string): string;
  /** Ends a session at every process. @returns the address to sign out of the issuer; null: none */
  end(session_id: string): Promise<string | null>;
}
