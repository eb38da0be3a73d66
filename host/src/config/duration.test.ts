import { describe, expect, it } from 'vitest';
import { DURATION_PATTERN, durationMs } from './duration.ts';

describe('durationMs', () => {
  it.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['24h', 86_400_000],
    ['30d', 2_592_000_000],
  ])('%s is %i ms', (text, ms) => {
    expect(text).toMatch(new RegExp(DURATION_PATTERN));
    expect(durationMs(text)).toBe(ms);
  });

  it.each(['', '0d', '30', 'd', '1.5h', '30 d', '1w', '-1h', '01h', '1h\n'])('%j is not a duration', (text) => {
    expect(text).not.toMatch(new RegExp(DURATION_PATTERN));
  });

  it('throws for an invalid duration', () => {
    expect(() => durationMs('soon')).toThrow(RangeError);
  });
});
