import { expect, test } from 'vitest';
import { exactDigits, parseExact } from './exact-json.ts';

test.each(['12345678901234567890', '1.10', '1E5', '-0', '1e400'])('%s keeps its digits', (digits) => {
  const text = `{"n":[${digits}],"more":1}`;
  const value = parseExact(text);
  expect(JSON.stringify(value)).toBe(text);
  expect(exactDigits(Object(value).n[0])).toBe(digits);
});

test('any other number is one', () => {
  expect(parseExact('[1,9007199254740991,0.5]')).toEqual([1, 9007199254740991, 0.5]);
  expect([exactDigits(1), exactDigits({ rawJSON: '1' }), exactDigits(null)]).toEqual([null, null, null]);
});
