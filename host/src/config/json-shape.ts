import { isObject, JSON_LIMITS } from '@svc/contracts';
import type { Path } from './diagnostic.ts';

/** Path of the first value that JSON cannot represent (infinity, bytes, a lone surrogate, a cycle), or null. */
export function notJson(value: unknown, path: Path = []): Path | null {
  if (path.length > JSON_LIMITS.depth) return path;
  if (typeof value === 'string') return value.isWellFormed() ? null : path;
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return null;
  if (typeof value !== 'object') return path;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return path;
  for (const [key, child] of Object.entries(value)) {
    const found = key.isWellFormed() ? notJson(child, [...path, key]) : path;
    if (found !== null) return found;
  }
  return null;
}

/** Every string in a JSON value, with its path. */
export function* stringsOf(value: unknown, path: Path = []): Generator<{ path: Path; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* stringsOf(item, [...path, index]);
  else if (isObject(value)) for (const [key, child] of Object.entries(value)) yield* stringsOf(child, [...path, key]);
}
