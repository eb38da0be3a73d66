import { exactDigits } from '@svc/contracts';
import canonicalize from 'canonicalize';
import { sha256Hex } from '#digest';
import { exactCanonical, holdsExact } from './exact-canonical.ts';

/** Values nested more deeply than this are written without the fast path. */
const MAX_LEVELS = 64;

/**
 * RFC 8785 canonical JSON. Values whose keys are already sorted are written by `JSON.stringify`, which is ten times faster. Its numbers and escapes
 * match the RFC, and a lone surrogate is visible in its output as an escape. The RFC does not cover numbers that a double cannot hold: here, they
 * keep their digits.
 * @throws for values without a JSON form (undefined, functions), NaN or Infinity, and lone surrogates
 */
export function canonicalJson(value: unknown): string {
  if (isInOrder(value, 0)) {
    const text = JSON.stringify(value);
    if (!text.includes('\\ud')) return text;
  }
  const text = holdsExact(value) ? exactCanonical(value) : canonicalize(value);
  if (text === undefined) throw new TypeError('value has no canonical JSON form');
  return text;
}

/**
 * Whether `JSON.stringify` writes the value in canonical form: it is plain JSON, and every object's keys ascend by UTF-16 code units, as JavaScript
 * compares strings.
 */
function isInOrder(value: unknown, level: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value !== 'object') return Number.isFinite(value);
  if (level === MAX_LEVELS || 'toJSON' in value) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isInOrder(item, level + 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return exactDigits(value) !== null;
  let last = '';
  for (const key in value) {
    if (key < last) return false;
    last = key;
    const member: unknown = value[key as keyof typeof value];
    // Avoids a call for most members, which are strings or numbers.
    if (typeof member !== 'string' && !Number.isFinite(member) && !isInOrder(member, level + 1)) return false;
  }
  return true;
}

/** `sha256:` and the SHA-256 of the bytes, or of the text's UTF-8 bytes, as 64 lowercase hex characters. */
export function sha256(data: string | Uint8Array): string {
  return `sha256:${sha256Hex(data)}`;
}
