const FIRST_MS = 500;
const MAX_MS = 60_000;

/**
 * How long to wait after a number of failures in a row, in milliseconds: doubled each time up to a minute, of which a random half is left
 * out, so that many that failed together do not come back together.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const whole = Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1));
  return whole / 2 + (whole / 2) * random();
}
