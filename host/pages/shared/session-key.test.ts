import { expect, it } from 'vitest';
import { isKey, takeKey } from './session-key.ts';

const key = `svc-${'0123456789abcdef'.repeat(4)}`;

it('takes a key from the fragment and cleans the address', () => {
  expect(takeKey(`http://127.0.0.1:8000/showcase#key=${key}`)).toEqual({ key, cleaned: 'http://127.0.0.1:8000/showcase' });
  expect(takeKey(`http://h/approvals?a=1#x=2&key=${key}`)).toEqual({ key, cleaned: 'http://h/approvals?a=1' });
});

it('removes an invalid key from the address and does not use it', () => {
  expect(takeKey('http://h/showcase#key=secret')).toEqual({ key: null, cleaned: 'http://h/showcase' });
  expect(takeKey('http://h/showcase#key=')).toEqual({ key: null, cleaned: 'http://h/showcase' });
});

it.each(['http://h/showcase', 'http://h/showcase#top', `http://h/showcase?key=${key}`])('leaves %s alone', (address) => {
  expect(takeKey(address)).toEqual({ key: null, cleaned: null });
});

it('accepts a key in capitals, as the gateway does', () => {
  expect(isKey(key.replace('abcdef', 'ABCDEF'))).toBe(true);
});

it.each(['', 'svc-', `${key}0`, ` ${key}`, `${key}\n`, key.replace('svc-', 'sk-')])('%j is not a key', (text) => {
  expect(isKey(text)).toBe(false);
});
