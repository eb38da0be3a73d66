import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest.ts';

describe('nearestName', () => {
  it.each([
    ['provder', 'provider'],
    ['Routes', 'routes'],
    ['locl', 'local'],
    ['colour', undefined],
    ['x', undefined],
    ['', undefined],
    ['provider'.padEnd(101, 'x'), undefined],
  ])('%j → %j', (name, expected) => {
    expect(nearestName(name, ['provider', 'routes', 'local', 'y'])).toBe(expected);
  });

  it('returns nothing without known names', () => {
    expect(nearestName('a', [])).toBeUndefined();
  });
});
