/** Why a secret cannot be read. The gateway prints these words, and nothing else that a backend throws. */
export const SECRET_FAILURES = {
  not_found: 'it has no such path or key',
  forbidden: 'it does not allow this gateway to read the path',
  login_failed: 'it refuses the login of this gateway',
  unavailable: 'it cannot be reached, or is not ready',
  malformed: 'its answer is not a secret',
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
  /** The gateway asks again after this time, in milliseconds, at least 1,000. A backend keeps its own lease alive when it is asked. */
  readonly refresh_after_ms: number;
}

/** A backend of `secret://<backend>/<path>#<key>` references. `env` and `file` are built in; others are plugins. */
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

/** The reason in an error of a backend, whose copy of these contracts may be another one. Null: it gives none. */
export function secretFailureOf(error: unknown): SecretFailure | null {
  const failure: unknown = Object(error).name === 'SecretFailedError' ? Object(error).failure : null;
  return typeof failure === 'string' && Object.hasOwn(SECRET_FAILURES, failure) ? (failure as SecretFailure) : null;
}
