import type { OpaqueKind } from '@svc/contracts';

/** Base64 or base64url of a quarter of a million characters at most. Signatures have some thousand, encrypted thinking some ten thousand. */
const MAX_LENGTH = 262_144;
const CLOSED_FORM = /^[A-Za-z0-9+/_-]+={0,2}$/;

export const HANDLE_PREFIX = 'svc_opaque_';
const HANDLE = /^svc_opaque_[A-Za-z0-9_-]+$/;

/** Whether a value has the form of a vendor-only value. Anything else in its place is text. */
export function isOpaque(value: string): boolean {
  return isHandle(value) || (value.length <= MAX_LENGTH && CLOSED_FORM.test(value));
}

/** Whether a value has the form of a handle of the gateway. Only decryption shows whether it is one. */
export function isHandle(value: string): boolean {
  return HANDLE.test(value);
}

/** A handle is sent to the model decrypted, or not at all. Anything else is sent as it is. */
export const sealedValue: OpaqueKind = (value) =>
  isOpaque(value) ? { why: isHandle(value) ? 'handle' : 'opaque', readable: false } : null;

const BASE64 = /^(data:[\w.+/;=-]*,)?[A-Za-z0-9+/_=\r\n-]*$/;
const BASE64_URL = /^data:[\w.+/;=-]*(?<=;base64),[A-Za-z0-9+/_=-]*$/i;

/** Bytes as base64. A value without the form of bytes is text, wherever it stands. */
export const bytesOf =
  (why: 'audio' | 'file' | 'image'): OpaqueKind =>
  (value) =>
    BASE64.test(value) ? { why, readable: false } : null;

/** A link to an image, or its bytes in the link. */
export const imageLink: OpaqueKind = (value) => ({ why: 'image', readable: !BASE64_URL.test(value) });

/** A reference to something stored at the vendor. */
export const storedAs =
  (why: 'audio' | 'file' | 'image'): OpaqueKind =>
  () => ({ why, readable: true });

/** Padding of a frame, which hides the length of its text. */
export const padding: OpaqueKind = (value) => (/^[A-Za-z0-9]{0,128}$/.test(value) ? { why: 'opaque', readable: false } : null);
