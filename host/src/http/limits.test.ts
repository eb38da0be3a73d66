import { SvcError } from '@svc/contracts';
import { expect, it } from 'vitest';
import { durationText, promptTokens, releasedAfter } from './limits.ts';

it.each([
  [0, '0ms'],
  [120, '120ms'],
  [1000, '1s'],
  [1500, '1.5s'],
  [60_000, '1m0s'],
  [360_001, '6m0.001s'],
])('%d ms is written as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

it('estimates texts and tools, but not images', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(100_000)}` } };
  const text = { type: 'text', text: 'x'.repeat(400) };
  const asked = (content: object[]) => promptTokens({ messages: [{ role: 'user', content: content as never }] });
  expect(asked([image, text])).toBe(asked([text]));
  expect(asked([text])).toBeGreaterThanOrEqual(100);
  expect(asked([text])).toBeLessThan(110);
  expect(promptTokens({ messages: [], input: ['x'.repeat(400), 'x'.repeat(400)] })).toBeGreaterThanOrEqual(200);
  expect(promptTokens({ messages: [], tools: [{ name: 'x'.repeat(400) }] })).toBeGreaterThanOrEqual(100);
});

it.each([
  ['an error after a call that was billed', new SvcError('SVC-STORE-001', 'no evidence', { paid: true }), 'partial'],
  ['one that cost nothing', new SvcError('SVC-BUSY-001', 'no room'), 'complete'],
])('returns the capacity of a request once, and charges the estimate if nothing was counted: %s', async (_, error, cost) => {
  const released: string[] = [];
  await expect(releasedAfter(Promise.reject(error), (how) => released.push(how))).rejects.toBe(error);
  expect(released).toEqual([cost]);
});
