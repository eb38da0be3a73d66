/**
 * SHA-256 (FIPS 180-4) for browsers. Web Crypto is asynchronous, and browsers offer it only to pages served over https:// or from
 * the same machine.
 */

const BLOCK = 64;
const LENGTH_BYTES = 8;
const PRIMES = Array.from({ length: 310 }, (_, n) => n + 2).filter((n, _, all) => all.every((k) => k >= n || n % k !== 0));

/** The first 32 bits of the fractional part of a root. */
const fraction = (root: number): number => ((root % 1) * 2 ** 32) | 0;
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = Int32Array.from(PRIMES.slice(0, BLOCK), (prime) => fraction(Math.cbrt(prime)));

const encoder = new TextEncoder();
const words = new Int32Array(BLOCK);

/** SHA-256 of the bytes, or of the text's UTF-8 bytes, in lowercase hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return Array.from(digest(data), (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** As {@link sha256Hex}, but as a binary string: one character for each byte. */
export function sha256Binary(data: string | Uint8Array): string {
  return String.fromCharCode(...digest(data).flatMap((word) => [24, 16, 8, 0].map((shift) => (word >>> shift) & 0xff)));
}

function digest(data: string | Uint8Array): number[] {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data;
  const padded = new Uint8Array(Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK) * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - LENGTH_BYTES, BigInt(bytes.length) * 8n);
  let state = START;
  for (let at = 0; at < padded.length; at += BLOCK) state = compress(state, view, at);
  return state;
}

function compress(state: readonly number[], view: DataView, at: number): number[] {
  for (let i = 0; i < BLOCK; i += 1) words[i] = i < 16 ? view.getInt32(at + 4 * i) : expanded(i);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < BLOCK; i += 1) {
    const big = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const first = (h + big + ((e & f) ^ (~e & g)) + (ROUNDS[i] ?? 0) + (words[i] ?? 0)) | 0;
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    // Twice as fast as destructuring.
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => (word + (state[i] ?? 0)) | 0);
}

/** Word `i` of the message schedule. */
function expanded(i: number): number {
  const [far = 0, near = 0] = [words[i - 15], words[i - 2]];
  const small = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
  const large = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
  return ((words[i - 16] ?? 0) + small + (words[i - 7] ?? 0) + large) | 0;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
