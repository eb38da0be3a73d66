const FIRST_MS = 500;
const MAX_MS = 60_000;

/**
 * How long to wait after a number of failures in a row, in milliseconds. The wait doubles with each failure, up to a minute. A random part of it, up
 * to half, is subtracted, so that exporters that failed together do not retry together.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const whole = Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1));
  return whole / 2 + (whole / 2) * random();
}
