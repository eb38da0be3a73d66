import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Of what AES-256-GCM made here: version, nonce, ciphertext, tag. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;

/** AES-256-GCM under a key of 32 bytes. `binding`: what the bytes belong to; they open for nothing else. */
export function seal(key: Uint8Array, binding: string, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad(binding));
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Null where it was not sealed like this, or altered. */
export function unseal(key: Uint8Array, binding: string, sealed: Uint8Array): Buffer | null {
  if (sealed[0] !== VERSION || sealed.length < HEAD_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, HEAD_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(aad(binding)).setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

function aad(binding: string): Buffer {
  return Buffer.from(`svc/${VERSION}/${binding}`);
}
