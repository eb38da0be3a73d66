export const DURATION_PATTERN = '^[1-9][0-9]{0,5}[smhd]$';
/** The duration may be zero, and is short enough for a timer. */
export const DELAY_PATTERN = '^(0|[1-9][0-9]{0,2})[sm]$';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a text that matches {@link DURATION_PATTERN} or {@link DELAY_PATTERN}, or of 0. */
export function durationMs(text: string | 0): number {
  if (text === 0) return 0;
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd') throw new RangeError('not a duration');
  return Number(amount) * UNIT_MS[unit];
}

/** As {@link durationMs}. Null for a duration that is not set. */
export function optionalMs(text: string | 0 | undefined): number | null {
  return text === undefined ? null : durationMs(text);
}
