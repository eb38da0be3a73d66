import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as browser from './browser.ts';
import * as node from './node.ts';

const agree = (data: string | Uint8Array) => {
  expect(browser.sha256Hex(data)).toBe(node.sha256Hex(data));
  expect(browser.sha256Binary(data)).toBe(node.sha256Binary(data));
};

it('is the same in a browser for each length around a block', () => {
  for (let length = 0; length < 260; length += 1) agree(new Uint8Array(length).fill(length));
});

it('is the same in a browser for any text and any bytes', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), agree));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 3000 }), agree));
});
