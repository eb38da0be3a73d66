import { expect, it } from 'vitest';
import { startOf } from './run-start.ts';

it('reads the time in a UUIDv7', () => {
  // The example of RFC 9562, appendix A.6.
  expect(startOf('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')).toBe('2022-02-22T19:22:22.000Z');
  expect([startOf('017f22e2-79b0-4cc3-98c4-dc0c0c07398f'), startOf('none')]).toEqual([null, null]);
});
