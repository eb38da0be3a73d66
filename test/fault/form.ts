import { createHash, randomInt } from 'node:crypto';

/** `SVC_FAULT=long` selects the long form for nightly runs: more rounds, and real waiting instead of shortcuts. */
export const LONG = process.env.SVC_FAULT === 'long';

/**
 * Timeout of a test with many rounds. In the long form, 1,000 rounds over PostgreSQL took an hour on two busy cores. The short form takes half a
 * minute, and a hanging test must not block CI for hours.
 */
export const ROUNDS_TIMEOUT_MS = LONG ? 4 * 3_600_000 : 180_000;

/** Set `SVC_FAULT_SEED` to repeat a failed seed. */
export const SEED = Number(process.env.SVC_FAULT_SEED ?? randomInt(2 ** 31));

/** Numbers the rounds of a test. */
export function rounds(short: number, long: number): number[] {
  const count = Number(process.env.SVC_FAULT_ROUNDS ?? (LONG ? long : short));
  return Array.from({ length: count }, (_, round) => round);
}

/** A number from 0 to below `below`. The same seed and name give the same number. */
export function pick(name: string, below: number, seed = SEED): number {
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE() % below;
}
