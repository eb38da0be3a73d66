import { EncryptJWT, errors, type JWTPayload, jwtDecrypt } from 'jose';

const HEADER = { alg: 'dir', enc: 'A256GCM' } as const;

/**
 * Encrypts and authenticates (JWE).
 * @param key 32 bytes
 * @param ends milliseconds since the epoch
 */
export function seal(content: JWTPayload, key: Uint8Array, ends: number): Promise<string> {
  return new EncryptJWT(content).setProtectedHeader(HEADER).setExpirationTime(new Date(ends)).encrypt(key);
}

/** The value given to {@link seal}; null: sealed with another key, or expired. */
export async function unseal<T>(sealed: string, key: Uint8Array, now: number): Promise<T | null> {
  try {
    const { payload } = await jwtDecrypt<T>(sealed, key, {
      keyManagementAlgorithms: [HEADER.alg],
      contentEncryptionAlgorithms: [HEADER.enc],
      currentDate: new Date(now),
      requiredClaims: ['exp'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
