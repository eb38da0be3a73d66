/** Writes a binary string: one character for each byte. */
export function write(binary: string, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < binary.length; i += 1) bytes[at + i] = binary.charCodeAt(i);
}

/** The bytes of a binary string. */
export function bytesOf(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length);
  write(binary, bytes, 0);
  return bytes;
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
