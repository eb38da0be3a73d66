import type { Clock } from '@svc/contracts';
import { expect, it } from 'vitest';
import { VisitorQuota } from './visitor-quota.ts';

function handClock(): Clock & { at: number } {
  const clock = { at: 0, now: () => clock.at, monotonic: () => clock.at };
  return clock;
}

const granted = (quota: VisitorQuota, visitor: string, times: number): number =>
  Array.from({ length: times }, () => quota.take(visitor)).filter((standing) => standing.granted).length;

it('grants requests up to the limit, and reports how many remain and until when', () => {
  const clock = handClock();
  const quota = new VisitorQuota(3, 60_000, clock);
  expect(quota.take('a')).toEqual({ granted: true, limit: 3, remaining: 2, reset_s: 60 });
  clock.at = 1500;
  expect(quota.take('a')).toEqual({ granted: true, limit: 3, remaining: 1, reset_s: 59 });
  expect(granted(quota, 'a', 5)).toBe(1);
  clock.at = 59_999;
  expect(quota.take('a')).toEqual({ granted: false, limit: 3, remaining: 0, reset_s: 1 });
  clock.at = 60_000;
  expect(quota.take('a')).toEqual({ granted: true, limit: 3, remaining: 2, reset_s: 60 });
});

it('starts a new window with the first request after the previous window', () => {
  const clock = handClock();
  const quota = new VisitorQuota(1, 60_000, clock);
  quota.take('a');
  clock.at = 100_000;
  expect(quota.take('a')).toMatchObject({ granted: true, reset_s: 60 });
});

it('gives each of ten thousand visitors a quota', () => {
  const quota = new VisitorQuota(30, 60_000, handClock());
  const visitors = Array.from({ length: 10_000 }, (_, n) => `alice 10.0.${n >> 8}.${n & 255}`);
  for (const visitor of visitors) expect(granted(quota, visitor, 31)).toBe(30);
});

it('gives no address a new quota, even after a million others', () => {
  const quota = new VisitorQuota(30, 60_000, handClock());
  expect(granted(quota, 'alice 192.0.2.1', 30)).toBe(30);
  for (let n = 0; n < 1_000_000; n += 1) quota.take(`alice 10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  expect(granted(quota, 'alice 192.0.2.1', 30)).toBe(0);
});
