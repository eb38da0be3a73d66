import { CKR, Cryptoki, CryptokiError } from './cryptoki.ts';
import { dieWithParent } from './die-with-parent.ts';
import type { Refusal, Request, Response } from './messages.ts';
import { NotFound, PinAtRisk, Token } from './token.ts';

/**
 * The process that uses the library of the token. A library that crashes or hangs does not take the gateway with it, and after a failure a new process
 * begins with a library that was just loaded. The first message has the path of the library and the PIN.
 */

const REFUSED_LOGIN = [0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0x102];
/** The key may not sign, or not by this mechanism. */
const FORBIDDEN = [0x63, 0x68, 0x70];

let library: Cryptoki | null = null;
const tokens = new Map<string, Token>();
/** Logins that failed. Requests that wait do not try again. */
const refused = new Map<string, Refusal>();

// The gateway ends this process when it has signed its last checkpoint. A signal for the whole group must not do so earlier.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
dieWithParent();

let given: { readonly module: string; readonly pin: string } | null = null;
process.on('message', (message: Request | NonNullable<typeof given>) => {
  if ('pin' in message) given = message;
  else if (given !== null) process.send?.({ id: message.id, ...answer(message, given) } satisfies Response);
});

function answer(request: Request, { module, pin }: NonNullable<typeof given>): { bytes: Uint8Array } | { refusal: Refusal } {
  const earlier = refused.get(request.token);
  if (earlier !== undefined) return { refusal: earlier };
  try {
    const token = tokens.get(request.token) ?? opened(request.token, module, pin);
    const { label, sign } = request;
    return { bytes: sign === null ? token.publicKey(label) : token.sign(label, sign.public_key, sign.message) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.isPinRefused) refused.set(request.token, refusal);
    return { refusal };
  }
}

function opened(label: string, module: string, pin: string): Token {
  if (library === null) {
    library = new Cryptoki(module);
    library.call('C_Initialize', [null], CKR.CRYPTOKI_ALREADY_INITIALIZED);
  }
  const token = Token.open(library, label, pin);
  tokens.set(label, token);
  return token;
}

function refusalOf(error: unknown): Refusal {
  const plain = { code: null, isPinRefused: false, restarts: false };
  // A library may look for tokens only when it is loaded.
  if (error instanceof NotFound) return { ...plain, failure: 'not_found', call: error.what, restarts: error.what === 'token' };
  if (error instanceof PinAtRisk) return { ...plain, failure: 'login_failed', call: error.state };
  if (!(error instanceof CryptokiError)) return { ...plain, failure: 'unavailable', call: 'unknown', restarts: true };
  const { call, code } = error;
  if (call === 'C_Login' && REFUSED_LOGIN.includes(code ?? 0))
    return { ...plain, failure: 'login_failed', call, code, isPinRefused: true };
  if (FORBIDDEN.includes(code ?? 0)) return { ...plain, failure: 'forbidden', call, code };
  return { ...plain, failure: 'unavailable', call, code, restarts: true };
}
