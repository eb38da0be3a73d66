const FORM = /^svc-[0-9a-fA-F]{64}$/;

export function isKey(text: string): boolean {
  return FORM.test(text);
}

/**
 * Reads `#key=…` from an address.
 * @returns the key (null: absent or malformed), and the address without it (null: unchanged)
 */
export function takeKey(address: string): { readonly key: string | null; readonly cleaned: string | null } {
  const url = new URL(address);
  const key = new URLSearchParams(url.hash.slice(1)).get('key');
  if (key === null) return { key: null, cleaned: null };
  url.hash = '';
  return { key: isKey(key) ? key : null, cleaned: url.href };
}
