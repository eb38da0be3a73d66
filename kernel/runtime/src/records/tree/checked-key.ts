import { errorName, type SigningKey, secretFailureOf, withTimeout } from '@svc/contracts';
import { isSignedBy } from '@svc/ledger';

/** How long a key may take to sign. */
const SIGN_TIMEOUT_MS = 5_000;

/** A key did not sign. Nothing is lost: records do not need it, and the next checkpoint covers them. `code` is only logged: it may be a name from a plugin. */
export class NotSigned extends Error {
  override readonly name = 'NotSigned';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** The same key, with a limit of time. Each signature is verified, so that a wrong one is never published. @throws {NotSigned} instead of other errors */
export function checkedKey(key: SigningKey): SigningKey {
  return { public_key: key.public_key, sign: (message, signal) => checked(key, message, signal) };
}

async function checked(key: SigningKey, message: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  const over = new AbortController();
  try {
    const given = await withTimeout(key.sign(message, AbortSignal.any([signal, over.signal])), SIGN_TIMEOUT_MS, signal);
    if (!given.done) throw new NotSigned('timeout');
    if (!isSignedBy(key.public_key, message, given.value)) throw new NotSigned('invalid_signature');
    return given.value;
  } catch (error) {
    throw error instanceof NotSigned ? error : new NotSigned(secretFailureOf(error) ?? errorName(error));
  } finally {
    over.abort();
  }
}
