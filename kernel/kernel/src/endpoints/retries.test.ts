import { ProviderError } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { pauseBefore, waited } from './retries.ts';

const most = (): number => 1;

describe('the pause before a call is repeated', () => {
  it('grows, and is random below its limit', () => {
    const failure = new ProviderError('unavailable', { status: 503 });
    expect([0, 1, 2].map((done) => pauseBefore(failure, done, most))).toEqual([250, 500, 1_000]);
    expect(pauseBefore(failure, 2, () => 0.5)).toBe(500);
  });

  it('is as long as the upstream asks for, if the caller waits that long', () => {
    expect(pauseBefore(new ProviderError('rate_limited', { retry_after_s: 2 }), 0, most)).toBe(2_250);
    expect(pauseBefore(new ProviderError('rate_limited', { retry_after_s: 2, retry_after_ms: 1_500 }), 0, most)).toBe(1_750);
    expect(pauseBefore(new ProviderError('rate_limited', { retry_after_s: 11 }), 0, most)).toBeNull();
  });

  it.each([
    ['may have cost something', new ProviderError('unavailable', { cost: 'unknown' })],
    ['took too long', new ProviderError('timeout')],
    ['was refused', new ProviderError('invalid_request', { status: 400 })],
    ['met a wrong key', new ProviderError('configuration', { status: 401 })],
    ['has no quota left', new ProviderError('rate_limited', { status: 429, code: 'insufficient_quota' })],
  ])('does not happen after a call that %s', (_what, failure) => expect(pauseBefore(failure, 0, most)).toBeNull());
});

it('is never longer than the caller waits', async () => {
  const controller = new AbortController();
  const waiting = waited(60_000, controller.signal);
  controller.abort();
  expect(await waiting).toBe(false);
  expect(await waited(1, new AbortController().signal)).toBe(true);
});
