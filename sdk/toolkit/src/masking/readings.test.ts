import type { Segment } from '@svc/contracts';
import { expect, test } from 'vitest';
import { inOwnText, readings } from './readings.ts';

const segment = (kind: Segment['kind'], path: string, text: string): Segment => ({
  index: 0,
  kind,
  path,
  text,
  role: 'assistant',
  choice: null,
  origin: 'user',
  untrusted: false,
});

test("a value is read after its key, a list item after the list's key, and other text alone", () => {
  const at = 'messages.0.tool_calls.0.function.arguments';
  const segments = [
    segment('text', 'messages.0.content', 'hello'),
    segment('key', `${at}.0`, 'password'),
    segment('argument', `${at}.0`, 'hunter2'),
    segment('key', `${at}.1`, 'tokens'),
    segment('argument', `${at}.1.0`, 'one'),
    segment('argument', `${at}.1.1`, 'two'),
    segment('argument', `${at}.10`, 'ten'),
  ];
  expect(readings(segments).map(({ text }) => text)).toEqual([
    'hello',
    'password',
    'password: hunter2',
    'tokens',
    'tokens: one',
    'tokens: two',
    'ten',
  ]);
  expect(readings(segments, (key) => key.toUpperCase())[2]).toEqual({ text: 'PASSWORD: hunter2', before: 10 });
});

test("findings are converted to offsets in the segment's own text", () => {
  const reading = { text: 'key: value', before: 5 };
  expect(inOwnText({ start: 5, end: 10 }, reading)).toEqual({ start: 0, end: 5 });
  expect(inOwnText({ start: 0, end: 10 }, reading)).toEqual({ start: 0, end: 5 });
  expect(inOwnText({ start: 0, end: 5 }, reading)).toBeNull();
});
