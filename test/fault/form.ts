import { createHash, randomInt } from 'node:crypto';

/** `SVC_FAULT=long` is the form for a night: more rounds, and real waiting instead of what shortens it. */
export const LONG = process.env.SVC_FAULT === 'long';

/**
 * What a test of many rounds may take. In the long form 1,000 rounds over PostgreSQL were an hour on two busy cores; the short form takes
 * half a minute, and one that hangs must not keep CI for hours.
 */
export const ROUNDS_TIMEOUT_MS = LONG ? 4 * 3_600_000 : 180_000;

/** A seed that failed is run again by naming it. */
export const SEED = Number(process.env.SVC_FAULT_SEED ?? randomInt(2 ** 31));

/** How often something is broken. */
export function rounds(short: number, long: number): number[] {
  const count = Number(process.env.SVC_FAULT_ROUNDS ?? (LONG ? long : short));
  return Array.from({ length: count }, (_, round) => round);
}

/** A number from 0 up to `below`, the same for the same seed and name. */
export function pick(name: string, below: number, seed = SEED): number {
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE() % below;
}
