import { hash } from 'node:crypto';

/** SHA-256 of the bytes, or of the text's UTF-8 bytes, in lowercase hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** As {@link sha256Hex}, but as a binary string (one character for each byte), which is twice as fast as a buffer. */
export function sha256Binary(data: string | Uint8Array): string {
  return hash('sha256', data, 'binary');
}
