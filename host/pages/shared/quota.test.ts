import { expect, it } from 'vitest';
import { quotaOf, quotaText } from './quota.ts';

it.each([
  [
    { 'ratelimit-limit': '30', 'ratelimit-remaining': '0', 'ratelimit-reset': '7' },
    { remaining: 0, limit: 30, reset_s: 7 },
  ],
  [{ 'ratelimit-remaining': '3' }, { remaining: 3, limit: null, reset_s: null }],
  [{ 'ratelimit-remaining': 'many' }, null],
  [{}, null],
])('%j tells %j', (headers, quota) => {
  expect(quotaOf(new Headers(headers))).toEqual(quota);
});

it('shows what is left', () => {
  expect(quotaText({ remaining: 2, limit: 30, reset_s: 9 })).toBe('2 of 30 messages left, resets in 9 s');
  expect(quotaText({ remaining: 2, limit: null, reset_s: null })).toBe('2 messages left');
});
