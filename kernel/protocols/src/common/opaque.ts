import type { OpaqueKind } from '@svc/contracts';

/** Maximum number of base64 or base64url characters. Signatures have a few thousand; encrypted thinking has a few tens of thousands. */
const MAX_LENGTH = 262_144;
const CLOSED_FORM = /^[A-Za-z0-9+/_-]+={0,2}$/;

export const HANDLE_PREFIX = 'svc_opaque_';
const HANDLE = /^svc_opaque_[A-Za-z0-9_-]+$/;

/** Whether a value has the form of a vendor-only value. Anything else in its place is text. */
export function isOpaque(value: string): boolean {
  return isHandle(value) || (value.length <= MAX_LENGTH && CLOSED_FORM.test(value));
}

/** Whether a value has the form of one of the gateway's handles. Only decryption proves that it is one. */
export function isHandle(value: string): boolean {
  return HANDLE.test(value);
}

/** A handle is decrypted before it goes to the model, and is not sent if that fails. Other values are sent unchanged. */
export const sealedValue: OpaqueKind = (value) =>
  isOpaque(value) ? { why: isHandle(value) ? 'handle' : 'opaque', readable: false } : null;

const BASE64 = /^(data:[\w.+/;=-]*,)?[A-Za-z0-9+/_=\r\n-]*$/;
const BASE64_URL = /^data:[\w.+/;=-]*(?<=;base64),[A-Za-z0-9+/_=-]*$/i;

/** Bytes in base64. A value of any other form is text. */
export const bytesOf =
  (why: 'audio' | 'file' | 'image'): OpaqueKind =>
  (value) =>
    BASE64.test(value) ? { why, readable: false } : null;

/** A link to an image, or a data URL with its bytes. */
export const imageLink: OpaqueKind = (value) => ({ why: 'image', readable: !BASE64_URL.test(value) });

/** A reference to a file stored at the vendor. */
export const storedAs =
  (why: 'audio' | 'file' | 'image'): OpaqueKind =>
  () => ({ why, readable: true });

/** Padding of a frame, which hides the length of the text. */
export const padding: OpaqueKind = (value) => (/^[A-Za-z0-9]{0,128}$/.test(value) ? { why: 'opaque', readable: false } : null);
