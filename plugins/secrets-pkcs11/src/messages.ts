/** Messages between the gateway and the process that uses the library of the token. */

/** Names a key, or asks it to sign. */
export interface Request {
  readonly id: number;
  /** Label of the token. */
  readonly token: string;
  /** Label of the key. */
  readonly label: string;
  /** Null: only the public key is wanted. */
  readonly sign: { readonly public_key: Uint8Array; readonly message: Uint8Array } | null;
}

/** Why there is no result. */
export interface Refusal {
  readonly failure: 'not_found' | 'forbidden' | 'login_failed' | 'unavailable';
  /** Where it failed, for the log: a function of the library, what was not found, or why there was no login. */
  readonly call: string;
  /** The return value of the function. Null: there is none. */
  readonly code: number | null;
  /** The token refused the PIN. Trying it again could lock the token. */
  readonly isPinRefused: boolean;
  /** Whether the next call needs a library that was just loaded. */
  readonly restarts: boolean;
}

/** `bytes`: the public key or the signature. */
export type Response = { readonly id: number } & ({ readonly bytes: Uint8Array } | { readonly refusal: Refusal });
