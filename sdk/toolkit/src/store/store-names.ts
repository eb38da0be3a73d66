import { StoreError } from '@svc/contracts';

const MAX_BYTES = 512;
/** LMDB separates the parts of a key by NUL and does not escape characters up to 4. PostgreSQL's text cannot contain NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
const HOLDS_SEPARATOR = /[\0-\x04]/;

/** Whether a store accepts this name (a run's id, a route, a counter's key). An invalid name was never written, so a search for it finds nothing. */
export function isStoreName(text: string): boolean {
  // A UTF-16 code unit takes at most three bytes of UTF-8, so most texts need not be measured.
  const isShort = text.length * 3 <= MAX_BYTES || Buffer.byteLength(text) <= MAX_BYTES;
  return isShort && !HOLDS_SEPARATOR.test(text) && text.isWellFormed();
}

/** @throws {StoreError} `NAME` */
export function checkStoreName(field: string, text: string): void {
  if (!isStoreName(text)) {
    throw new StoreError('NAME', `${field} must be well-formed text of at most ${MAX_BYTES} bytes without control characters`);
  }
}
