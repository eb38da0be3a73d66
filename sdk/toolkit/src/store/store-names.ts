import { StoreError } from '@svc/contracts';

const MAX_BYTES = 512;
/** LMDB separates the parts of a key by NUL and does not escape the characters up to here; PostgreSQL's text cannot hold NUL. */
const LAST_SEPARATOR = 4;

function holdsSeparator(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) <= LAST_SEPARATOR) return true;
  return false;
}

/** A UTF-16 code unit takes at most three bytes of UTF-8, so that most texts need not be measured. */
function isShort(text: string): boolean {
  return text.length * 3 <= MAX_BYTES || Buffer.byteLength(text) <= MAX_BYTES;
}

/**
 * Whether a store can keep something under this name (a run's id, a route, a counter's key). What cannot be one was never written, so
 * nothing is found by it.
 */
export function isStoreName(text: string): boolean {
  return isShort(text) && !holdsSeparator(text) && text.isWellFormed();
}

/** @throws {StoreError} `NAME` */
export function checkStoreName(field: string, text: string): void {
  if (!isStoreName(text)) {
    throw new StoreError('NAME', `${field} must be well-formed text of at most ${MAX_BYTES} bytes without control characters`);
  }
}
