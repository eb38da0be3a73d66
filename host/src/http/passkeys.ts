import type { DecisionStatement, SignedDecision } from '@svc/contracts';
import type { DecisionSalts, MadeStatement } from '@svc/runtime';
import type { Principal } from './key-ring.ts';
import type { Person } from './sign-in.ts';

/** A public key of a person, and who registered it when. Times are ISO 8601. */
export interface Passkey {
  /** Credential id, base64url. */
  readonly id: string;
  readonly principal_id: string;
  readonly issuer: string;
  readonly subject: string;
  /** COSE: -7 is ES256, -8 EdDSA, -257 RS256. */
  readonly algorithm: number;
  readonly rp_id: string;
  readonly created_at: string;
  readonly removed_at: string | null;
}

/** What a browser needs to ask an authenticator, and what it brings back with the response. The ticket is sealed. */
export interface Ceremony {
  /** For `PublicKeyCredential.parseCreationOptionsFromJSON`, or `parseRequestOptionsFromJSON`. */
  readonly options: object;
  readonly ticket: string;
}

/** The response of an authenticator, as `PublicKeyCredential.toJSON` returns it. */
export interface Credential {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: Readonly<Record<string, unknown>>;
}

/** Passkeys with which people sign decisions (WebAuthn). If they are not configured, there are none, and each other method throws SVC-REQ-003. */
export interface Passkeys {
  /** The only origin at which passkeys work; null: they are not configured. */
  readonly origin: string | null;
  /** Valid passkeys, in order of registration. @param of null: of everybody */
  list(of: Principal['identity']): Promise<readonly Passkey[]>;
  /** @throws {SvcError} SVC-REQ-001 for a person with too many passkeys */
  beginRegistration(person: Person): Promise<Ceremony>;
  /** @throws {SvcError} SVC-REQ-001 for an invalid response; SVC-AUTH-001, SVC-OPS-002, SVC-STORE-001 */
  register(person: Person, ticket: string, credential: Credential): Promise<Passkey>;
  /** @throws {SvcError} SVC-KEY-003 unless it is the caller's, or the caller manages all; SVC-AUTH-001, SVC-OPS-002, SVC-STORE-001 */
  remove(caller: Principal, id: string, reason: string | null): Promise<Passkey>;
  /** @throws {SvcError} SVC-AUTH-005 for a caller without a passkey */
  beginSigning(caller: Principal, made: MadeStatement): Promise<Ceremony>;
  /** Verifies a signature. @throws {SvcError} SVC-AUTH-005 */
  verify(caller: Principal, ticket: string, credential: Credential): Promise<VerifiedSignature>;
}

export interface VerifiedSignature {
  readonly statement: DecisionStatement;
  readonly signed: SignedDecision;
  readonly salts: DecisionSalts;
}
