import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Format: version, nonce, ciphertext, tag. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;

/**
 * Encrypts with AES-256-GCM and a key of 32 bytes. `binding`: what the bytes belong to, as additional authenticated data.
 * @param nonce 12 bytes; give it only with a key that encrypts nothing else
 */
export function encrypt(key: Uint8Array, binding: string, bytes: Uint8Array, nonce = randomBytes(NONCE_BYTES)): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad(binding));
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Null if the bytes were not encrypted with this key and binding, or were altered. */
export function decrypt(key: Uint8Array, binding: string, encrypted: Uint8Array): Buffer | null {
  if (encrypted[0] !== VERSION || encrypted.length < HEAD_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(1, HEAD_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(aad(binding)).setAuthTag(encrypted.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

function aad(binding: string): Buffer {
  return Buffer.from(`svc/${VERSION}/${binding}`);
}
