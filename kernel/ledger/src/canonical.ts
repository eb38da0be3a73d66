import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Deeper values use the non-recursive path. */
const MAX_LEVELS = 64;

/**
 * RFC 8785 canonical JSON. Values whose keys are already sorted are written by `JSON.stringify`, ten times faster: its numbers and
 * escapes match the RFC, and an ill-formed string is visible in its output as an escaped surrogate.
 * @throws for values without a JSON form (undefined, functions), NaN or Infinity, and lone surrogates
 */
export function canonicalJson(value: unknown): string {
  if (isInOrder(value, 0)) {
    const text = JSON.stringify(value);
    if (!text.includes('\\ud')) return text;
  }
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('value has no canonical JSON form');
  return text;
}

/**
 * Whether `JSON.stringify` writes the value in canonical form: plain JSON, the keys of every object ascending by UTF-16 code units, which
 * is the order of JavaScript's string comparison.
 */
function isInOrder(value: unknown, level: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      if (level === MAX_LEVELS || 'toJSON' in value) return false;
      return Array.isArray(value) ? areInOrder(value, level + 1) : hasKeysInOrder(value, level + 1);
    default:
      return false;
  }
}

function areInOrder(values: readonly unknown[], level: number): boolean {
  for (const value of values) if (!isInOrder(value, level)) return false;
  return true;
}

function hasKeysInOrder(object: object, level: number): boolean {
  if (Object.getPrototypeOf(object) !== Object.prototype) return false;
  let last = '';
  for (const key in object) {
    if (key < last) return false;
    last = key;
    const value: unknown = object[key as keyof typeof object];
    // Most are strings, which need no call.
    if (typeof value !== 'string' && !isInOrder(value, level)) return false;
  }
  return true;
}

/** `sha256:` and the 64 lowercase hex characters of the SHA-256 of the text's UTF-8 bytes, or of the bytes. */
export function sha256(data: string | Uint8Array): string {
  return `sha256:${hash('sha256', data, 'hex')}`;
}
