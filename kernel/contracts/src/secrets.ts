/** Why a secret cannot be read. The gateway prints only these texts, never a message that a backend throws. */
export const SECRET_FAILURES = {
  not_found: 'it has no such path or key',
  forbidden: 'it does not allow this gateway to read the path',
  login_failed: 'it rejects the login of this gateway',
  unavailable: 'it cannot be reached, or is not ready',
  malformed: 'its answer is malformed',
} as const;
export type SecretFailure = keyof typeof SECRET_FAILURES;

/** Throw this from a backend. It has no message of its own, because a message could contain a value by mistake. */
export class SecretFailedError extends Error {
  override readonly name = 'SecretFailedError';
  readonly failure: SecretFailure;

  constructor(failure: SecretFailure) {
    super(SECRET_FAILURES[failure]);
    this.failure = failure;
  }
}

/** A secret that can change while the gateway runs. */
export interface RefreshedSecret {
  readonly value: string;
  /** The gateway asks again after this time, in milliseconds, at least 1,000. A backend renews its own lease when it is called. */
  readonly refresh_after_ms: number;
}

/** A backend of `secret://<backend>/<path>#<key>` references that returns values. `env` and `file` are built in; others are plugins. */
export interface SecretsBackend {
  /**
   * Returns the secret's value; with `refresh_after_ms`, if it can change while the gateway runs. Called once per reference at start and at each reload,
   * and again when that time has passed. Several calls may be made at once. Authors must not log values or keep them after the call, and must not open
   * connections before the first call.
   * @param signal aborts after 10 s, or when the gateway stops
   * @throws {SecretFailedError} with the reason
   */
  resolve(path: string, key: string, signal: AbortSignal): Promise<string | RefreshedSecret>;
  /** Called once, when no configuration uses the backend. */
  close?(): Promise<void>;
}

/** An Ed25519 key (RFC 8032) that signs. The private key may be outside the gateway, in a token or a service. */
export interface SigningKey {
  /** 32 bytes. */
  readonly public_key: Uint8Array;
  /**
   * Signs a message of at most 4 KiB and returns the 64 bytes of the signature. Several calls may be made at once. The gateway verifies each signature.
   * @param signal aborts when the gateway no longer waits
   * @throws {SecretFailedError} with the reason
   */
  sign(message: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
}

/** A key that a backend holds. */
export interface HeldKey extends SigningKey {
  /** The gateway asks for the key again after this time, in milliseconds, at least 1,000. If the public key has changed by then, the new key takes over. */
  readonly refresh_after_ms: number;
}

/** A backend whose keys sign without leaving it. `ledger.signing_keys` may refer to them: `secret://<backend>/<path>#<key>`. */
export interface SigningBackend {
  /**
   * Returns a key with its public part. Called once per reference at start and at each reload, and again after `refresh_after_ms`. A key that was
   * returned earlier must still sign until `close`. If another key has replaced it, `sign` must fail. Authors must not open connections before the first call.
   * @param signal aborts after 10 s, or when the gateway stops
   * @throws {SecretFailedError} with the reason
   */
  signingKey(path: string, key: string, signal: AbortSignal): Promise<HeldKey>;
  /** Called once, when no configuration uses the backend. Signatures in progress are completed first. */
  close?(): Promise<void>;
}

/** What a plugin of the kind `secrets` creates. */
export type AnySecretsBackend = SecretsBackend | SigningBackend;

/** The reason in a backend's error. Also works if the backend has its own copy of these contracts. Null: the error has no reason. */
export function secretFailureOf(error: unknown): SecretFailure | null {
  const failure: unknown = Object(error).name === 'SecretFailedError' ? Object(error).failure : null;
  return typeof failure === 'string' && Object.hasOwn(SECRET_FAILURES, failure) ? (failure as SecretFailure) : null;
}
