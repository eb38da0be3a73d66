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

/** A binary string of the bytes. */
export function binaryOf(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return binary;
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(binaryOf(bytes));
}

/** Null if the text is not canonical base64: its padding bits must be zero. */
export function fromBase64(encoded: string): Uint8Array | null {
  try {
    const bytes = bytesOf(atob(encoded));
    return base64Of(bytes) === encoded ? bytes : null;
  } catch {
    return null;
  }
}
