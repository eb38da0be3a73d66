import { createHmac } from 'node:crypto';
import { decrypt, encrypt } from './cipher.ts';
import type { NamespaceKey } from './namespace-keys.ts';

/** `svc-sealed:1:<id of the namespace's key>:<base64>`. Any other stored text is plain text, from a release that did not encrypt. */
const FORM = /^svc-sealed:1:([0-9a-f]{16}):([A-Za-z0-9+/]+={0,2})$/;
/** A constant nonce is safe, because each document has its own key, which encrypts only the text of that document. */
const NONCE = Buffer.alloc(12);

/**
 * Encrypts the text of a document. The result is deterministic, so that storing a document again changes nothing.
 * @param id must depend on the text, like a digest of it: two texts with the same id would share a nonce
 */
export function sealText(key: NamespaceKey, id: string, text: string): string {
  return `svc-sealed:1:${key.id}:${encrypt(keyOf(key, id), bindingOf(id), Buffer.from(text), NONCE).toString('base64')}`;
}

export function isSealed(stored: string): boolean {
  return FORM.test(stored);
}

/** Null if the text was not sealed with this key and id. */
export function openText(key: NamespaceKey, id: string, stored: string): string | null {
  const [, key_id, encrypted = ''] = FORM.exec(stored) ?? [];
  if (key_id !== key.id) return null;
  return decrypt(keyOf(key, id), bindingOf(id), Buffer.from(encrypted, 'base64'))?.toString() ?? null;
}

function keyOf({ plain }: NamespaceKey, id: string): Buffer {
  return createHmac('sha256', plain).update(id).digest();
}

function bindingOf(id: string): string {
  return `rag/${id}`;
}
