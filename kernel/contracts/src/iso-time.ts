let second = Number.NaN;
let prefix = '';

/**
 * A moment in milliseconds since the epoch as `Date.toISOString` writes it, at a twentieth of its time: every request has four.
 * @throws {RangeError} for NaN, and for what is a second or more beyond the times that Date can hold
 */
export function isoTime(moment: number): string {
  const ms = Math.trunc(moment);
  const whole = Math.floor(ms / 1000);
  if (whole !== second) {
    prefix = new Date(whole * 1000).toISOString().slice(0, -'000Z'.length);
    second = whole;
  }
  return `${prefix}${String(ms - whole * 1000).padStart(3, '0')}Z`;
}
