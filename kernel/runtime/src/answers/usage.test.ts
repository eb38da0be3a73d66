import { afterEach, expect, it, vi } from 'vitest';
import { estimatedUsage, type TokenCounter } from './usage.ts';

const counting = vi.fn<TokenCounter>();
const request = { model: 'm', messages: [] };

afterEach(() => void vi.useRealTimers());

it('uses the counts of the counter, and extrapolates for a text that was counted only in part', async () => {
  counting.mockResolvedValue([3, 10]);
  expect(await estimatedUsage(request.messages, 'x'.repeat(32_000), 64_000, counting)).toMatchObject({
    input_tokens: 3,
    output_tokens: 20,
  });
});

it('without a counter assumes one token for every four characters', async () => {
  expect(await estimatedUsage(request.messages, 'x'.repeat(41), 41, null)).toMatchObject({
    input_tokens: 1,
    output_tokens: 11,
    estimated: true,
  });
});

it.each<[string, TokenCounter]>([
  ['rejects', () => Promise.reject(new Error('died'))],
  [
    'throws',
    () => {
      throw new Error('died');
    },
  ],
  ['counts no numbers', async () => [Number.NaN, 1.5]],
  ['counts too few', async () => [1]],
])('assumes one token for every four characters if the counter %s', async (_, counter) => {
  counting.mockImplementation(counter);
  expect(await estimatedUsage(request.messages, 'x'.repeat(41), 41, counting)).toMatchObject({
    input_tokens: 1,
    output_tokens: 11,
    estimated: true,
  });
});

it('does not wait for ever for a counter that died', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  counting.mockReturnValue(new Promise(() => undefined));
  const estimated = estimatedUsage(request.messages, 'x'.repeat(41), 41, counting);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await estimated).toMatchObject({ output_tokens: 11 });
});
