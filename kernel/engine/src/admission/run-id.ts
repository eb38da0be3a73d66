import { randomUUID } from 'node:crypto';

/** What the last 16 of the 48 bits count to. */
const LOW = 2 ** 16;

/**
 * A UUIDv7 (RFC 9562) of a moment in milliseconds since the epoch: its 48 bits, then the random bits and the variant of a version 4, which
 * Node draws from the system many at a time.
 */
export function newRunId(now: number): string {
  // In two parts: numbers of more than 31 bits take five times as long to become text.
  const high = Math.floor(now / LOW);
  const low = now - high * LOW;
  return `${hex(high, 8)}-${hex(low, 4)}-7${randomUUID().slice(15)}`;
}

function hex(bits: number, digits: number): string {
  return bits.toString(16).padStart(digits, '0');
}
