import { randomUUID } from 'node:crypto';

const LOW = 2 ** 16;

/**
 * A UUIDv7 (RFC 9562): the 48-bit time in milliseconds since the epoch, then the random bits and variant of a UUIDv4, which Node generates in
 * batches.
 */
export function newRunId(now: number): string {
  // The time is formatted in two parts: formatting a number of more than 31 bits takes five times as long.
  const high = Math.floor(now / LOW);
  const low = now - high * LOW;
  return `${hex(high, 8)}-${hex(low, 4)}-7${randomUUID().slice(15)}`;
}

function hex(bits: number, digits: number): string {
  return bits.toString(16).padStart(digits, '0');
}
