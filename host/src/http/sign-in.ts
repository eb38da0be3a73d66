import type { Principal } from './key-ring.ts';
import type { PagePath } from './schemas.ts';

/** A person whom an issuer verified. */
export interface Person extends Principal {
  readonly identity: NonNullable<Principal['identity']>;
}

/** An attempt to sign in may take so long, in seconds. */
export const ATTEMPT_S = 600;

/** What a browser keeps between the way to an issuer and the way back. */
export interface Attempt {
  readonly issuer: string;
  readonly page: PagePath;
  readonly state: string;
  readonly nonce: string;
  readonly code_verifier: string;
}

/** Signs people in by the authorization code of an issuer (OpenID Connect Core 1.0, section 3.1). */
export interface SignIn {
  /** Those that the pages may offer. */
  readonly issuers: readonly string[];
  /**
   * @returns `location`: the address at the issuer; `attempt`: sealed, for the browser to bring back
   * @throws {SvcError} SVC-REQ-001 for an unknown issuer, SVC-AUTH-004 for one that cannot be reached
   */
  begin(issuer: string, redirect_uri: string, page: PagePath): Promise<{ readonly location: string; readonly attempt: string }>;
  /** What {@link begin} sealed; null: something else, or too old. */
  open(attempt: string): Promise<Attempt | null>;
  /**
   * @param callback the address that the issuer sent the browser to
   * @returns the id of a new session
   * @throws {SvcError} SVC-AUTH-001, SVC-AUTH-004
   */
  complete(callback: URL, attempt: Attempt): Promise<string>;
  /** Whose session it is; null: there is none, or not any more. @throws {SvcError} SVC-AUTH-001 for claims that name nobody by now */
  find(session_id: string): Promise<Person | null>;
  /** What `x-svc-csrf` of a session's requests has to be. */
  csrfOf(session_id: string): string;
  /** Ends a session for every process. @returns where the issuer signs its own session out; null: nowhere */
  end(session_id: string): Promise<string | null>;
}
