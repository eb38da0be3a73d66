import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * RFC 8785 canonical JSON.
 * @throws for what has no JSON form (undefined, functions), NaN or Infinity, and lone surrogates
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('value has no canonical JSON form');
  return text;
}

/** `sha256:` and the 64 lowercase hex characters of the SHA-256 of the text's UTF-8 bytes, or of the bytes. */
export function sha256(data: string | Uint8Array): string {
  return `sha256:${hash('sha256', data, 'hex')}`;
}
