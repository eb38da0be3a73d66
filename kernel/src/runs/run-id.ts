import { randomUUID } from 'node:crypto';

/**
 * A UUIDv7 (RFC 9562) of a moment in milliseconds since the epoch: its 48 bits, then the random bits and the variant of a version 4, which
 * Node draws from the system many at a time.
 */
export function newRunId(now: number): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
