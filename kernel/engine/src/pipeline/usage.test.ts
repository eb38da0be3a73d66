import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { countTokens } from '../workers/token-counter.ts';
import { estimatedUsage } from './usage.ts';

// Files share a process: who was loaded with the real counter before is loaded anew, and nobody later meets this one.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());
vi.mock('../workers/token-counter.ts', () => ({ countTokens: vi.fn() }));
const counting = vi.mocked(countTokens);
const request = { model: 'm', messages: [] };

afterEach(() => void vi.useRealTimers());

it('takes the counts of a thread, and extends that of a text of which it has the beginning only', async () => {
  counting.mockResolvedValue([3, 10]);
  expect(await estimatedUsage(request, 'x'.repeat(32_000), 64_000)).toMatchObject({ input_tokens: 3, output_tokens: 20 });
});

it('where the thread fails, takes one token for every four characters', async () => {
  counting.mockRejectedValue(new Error('died'));
  expect(await estimatedUsage(request, 'x'.repeat(41), 41)).toMatchObject({
    input_tokens: 1,
    output_tokens: 11,
    estimated: true,
  });
});

it('does not wait for ever for a thread that died', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  counting.mockReturnValue(new Promise(() => undefined));
  const estimated = estimatedUsage(request, 'x'.repeat(41), 41);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await estimated).toMatchObject({ output_tokens: 11 });
});
