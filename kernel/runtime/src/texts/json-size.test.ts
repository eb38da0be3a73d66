import { JSON_LIMITS, JsonCounter } from '@svc/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonScalar, sizeOfJson } from './json-size.ts';

const spaces = fc.constantFrom('', ' ', '\n\t', '\r');
const json = fc
  .tuple(fc.json({ maxDepth: 4 }), spaces, spaces)
  .map(([text, before, between]) => before + text.replaceAll(',', `${between},${before}`) + between);
const piece = fc.constantFrom(
  '',
  ',',
  '"',
  '\\',
  '\\u00',
  '\\u00e',
  ']',
  '{',
  ':',
  '-',
  '01',
  '1.',
  'tru',
  '\u0001',
  '\u00a0',
  '\ufeff',
);
const broken = fc
  .tuple(json, fc.nat(), piece)
  .map(([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at + put.length) % (text.length + 1)));

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it('accepts exactly what the parser accepts, and counts as the counter does', () => {
  fc.assert(
    fc.property(fc.oneof(json, broken), (text) => {
      const size = sizeOfJson(text);
      expect(size?.is_json === true || isJsonScalar(text)).toBe(parses(text));
      if (!size?.is_json) return;
      const counter = new JsonCounter();
      counter.text(text);
      expect(size.values).toBe(counter.values);
    }),
    // Broken JSON is rarely still valid, so this needs many runs.
    { numRuns: 3_000 },
  );
});

it.each([
  '{:1}',
  '{,}',
  '{"a"}',
  '{"a":1,}',
  '{"a":1 "b":2}',
  '[,]',
  '[1,]',
  '[1 2]',
  '[1:2]',
  '[}',
  '{]',
  '[]]',
  '"',
  '"a""b"',
  '{} {}',
  '{}\n1 2',
  '[nan]',
  '[-NaN]',
  '{"a":}',
  '["\\x"]',
])('takes no %s', (text) => expect(sizeOfJson(text)?.is_json).toBe(false));

it.each([
  ['{}\n{}', 2],
  ['["a"]\r\n\n 1 \n"b"\n', 4],
  ['{"a": NaN, "b": [-Infinity, Infinity]}', 5],
])('takes lines of values, and the constants of Python: %s', (text, values) =>
  expect(sizeOfJson(text)).toMatchObject({ is_json: true, values }),
);

it('counts members and levels', () => {
  expect(sizeOfJson(' {"a": [1, {"b": [[]]}], "a": "}"} ')).toEqual({ is_json: true, values: 7, keys: 3, depth: 5 });
});

it('takes many levels', () => {
  const levels = JSON_LIMITS.values;
  expect(sizeOfJson('['.repeat(levels) + ']'.repeat(levels))).toMatchObject({ is_json: true, depth: levels });
  expect(sizeOfJson('['.repeat(levels))?.is_json).toBe(false);
});

it('stops at the first error, or at the limit of values', () => {
  const many = '1,'.repeat(JSON_LIMITS.values * 2);
  expect(sizeOfJson(`[INFO] ${many}`)?.values).toBe(2);
  expect(sizeOfJson(`[${many}1]`)).toMatchObject({ is_json: false, values: JSON_LIMITS.values + 1 });
});
