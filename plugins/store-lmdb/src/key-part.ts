import { StoreError } from './errors.ts';

/** Part of a key that sorts after every name that `checkKeyPart` lets through. */
export const LAST = '\u{10ffff}';

const MAX_BYTES = 512;
/** LMDB's key encoding separates the parts of a key by NUL and does not escape these in long strings. */
const LAST_SEPARATOR = 4;

function holdsSeparator(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) <= LAST_SEPARATOR) return true;
  return false;
}

/** Whether the text can be part of a key. What cannot was never written, so nothing is found by it. */
export function isKeyPart(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_BYTES && !holdsSeparator(text) && text.isWellFormed();
}

/** @throws {StoreError} `KEY` where the text cannot be part of a key. */
export function checkKeyPart(field: string, text: string): void {
  if (!isKeyPart(text)) {
    throw new StoreError('KEY', `${field} must be well-formed text of at most ${MAX_BYTES} bytes without control characters`);
  }
}
