import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { errorName, isObject, type Logger, SvcError } from '@svc/contracts';
import type { PasskeySettings } from '../config/index.ts';
import type { Credential } from '../http/passkeys.ts';
import type { StoredPasskey } from './stored-passkeys.ts';

/** ES256, EdDSA, RS256: those that the ledger's verifier knows. */
const ALGORITHMS = [-7, -8, -257];

/** Passkeys to list for the authenticator, by id. */
type Known = readonly Pick<StoredPasskey, 'id'>[];

const idsOf = (known: Known) => known.map(({ id }) => ({ id }));

/** @param user_id a pseudonym of the person, which the authenticator keeps */
export function creationOptions(
  { rp_id }: PasskeySettings,
  user: { readonly id: Uint8Array<ArrayBuffer>; readonly name: string },
  challenge: Uint8Array<ArrayBuffer>,
  known: Known,
): Promise<object> {
  return generateRegistrationOptions({
    rpName: 'svc',
    rpID: rp_id,
    userID: user.id,
    userName: user.name,
    challenge,
    attestationType: 'none',
    excludeCredentials: idsOf(known),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

export function requestOptions({ rp_id }: PasskeySettings, challenge: Uint8Array<ArrayBuffer>, known: Known): Promise<object> {
  return generateAuthenticationOptions({
    rpID: rp_id,
    challenge,
    allowCredentials: idsOf(known),
    userVerification: 'required',
  });
}

/** @returns the new passkey, its key in COSE form; null: the response is invalid */
export async function registeredBy(
  credential: Credential,
  challenge: Uint8Array,
  { origin, rp_id }: PasskeySettings,
  logger: Logger,
): Promise<{ readonly id: string; readonly public_key: Uint8Array; readonly counter: number } | null> {
  const { registrationInfo } = await verifyRegistrationResponse({
    response: credential as unknown as RegistrationResponseJSON,
    expectedChallenge: Buffer.from(challenge).toString('base64url'),
    expectedOrigin: origin,
    expectedRPID: rp_id,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: unknown) => {
    logRefusal('registration', error, logger);
    return { registrationInfo: undefined };
  });
  if (registrationInfo === undefined) return null;
  const { id, publicKey, counter } = registrationInfo.credential;
  return { id, public_key: publicKey, counter };
}

/** @returns the counter of the authenticator; null: the response is invalid */
export async function signedBy(
  credential: Credential,
  challenge: Uint8Array,
  { id, public_key }: Pick<StoredPasskey, 'id' | 'public_key'>,
  { origin, rp_id }: PasskeySettings,
  logger: Logger,
): Promise<number | null> {
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: credential as unknown as AuthenticationResponseJSON,
    expectedChallenge: Buffer.from(challenge).toString('base64url'),
    expectedOrigin: origin,
    expectedRPID: rp_id,
    // The store compares the counter, for all processes.
    credential: { id, publicKey: Buffer.from(public_key, 'base64url'), counter: 0 },
  }).catch((error: unknown) => {
    logRefusal('decision', error, logger);
    return { verified: false, authenticationInfo: undefined };
  });
  return verified && authenticationInfo !== undefined ? authenticationInfo.newCounter : null;
}

/** The library's messages quote what the browser sent. They begin with fixed words, up to the first quoted or computed part. */
function logRefusal(ceremony: string, error: unknown, logger: Logger): void {
  const [reason = ''] = /^[A-Za-z ]{1,80}/.exec(error instanceof Error ? error.message : '') ?? [];
  logger.warn({ event: 'passkey_refused', ceremony, reason: reason.trim() || errorName(error) });
}

/** @throws {SvcError} with the address at which passkeys work, if the browser was at another one */
export function assertOrigin(credential: Credential, { origin }: PasskeySettings, code: 'SVC-REQ-001' | 'SVC-AUTH-005'): void {
  if (originIn(credential.response.clientDataJSON) !== origin)
    throw new SvcError(code, `passkeys of this gateway work only at ${origin} (auth.passkeys.origin); open its pages there`);
}

function originIn(client_data: unknown): unknown {
  try {
    const data: unknown = JSON.parse(Buffer.from(String(client_data), 'base64url').toString());
    return isObject(data) ? data.origin : null;
  } catch {
    return null;
  }
}
