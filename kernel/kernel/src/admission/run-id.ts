import { randomUUID } from 'node:crypto';

/** Range of the lower 16 of the 48 bits. */
const LOW = 2 ** 16;

/**
 * A UUIDv7 (RFC 9562) for a time in milliseconds since the epoch: 48 bits of it, then the random bits and variant of a UUIDv4, which Node
 * generates in batches.
 */
export function newRunId(now: number): string {
  // In two parts: converting numbers of more than 31 bits to text takes five times as long.
  const high = Math.floor(now / LOW);
  const low = now - high * LOW;
  return `${hex(high, 8)}-${hex(low, 4)}-7${randomUUID().slice(15)}`;
}

function hex(bits: number, digits: number): string {
  return bits.toString(16).padStart(digits, '0');
}
