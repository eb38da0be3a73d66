import { expect, it } from 'vitest';
import { addRefusedPin, isRefusedPin, type PinUse } from './refused-pins.ts';

it('remembers a PIN with its library and token', () => {
  const use: PinUse = { module: '/refused.so', token: 'one', pin: '1' };
  expect(isRefusedPin(use)).toBe(false);
  addRefusedPin(use);
  expect(isRefusedPin({ ...use })).toBe(true);
  for (const other of [{ module: '/other.so' }, { token: 'two' }, { pin: '2' }])
    expect(isRefusedPin({ ...use, ...other })).toBe(false);
});
