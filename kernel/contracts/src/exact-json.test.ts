import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cloneJson, exactDigits, mayLoseDigits, parseBody, parseExact } from './exact-json.ts';
import { isObject } from './json.ts';
import { JsonCounter } from './json-counter.ts';

describe('parseExact', () => {
  test.each(['12345678901234567890', '1.10', '1E5', '-0', '1e400'])('%s keeps its digits', (digits) => {
    const text = `{"n":[${digits}],"more":1}`;
    const value = parseExact(text);
    expect(JSON.stringify(value)).toBe(text);
    expect(exactDigits(Object(value).n[0])).toBe(digits);
  });

  test('reads any other number as a plain number', () => {
    expect(parseExact('[1,9007199254740991,0.5]')).toEqual([1, 9007199254740991, 0.5]);
    expect([exactDigits(1), exactDigits({ rawJSON: '1' }), exactDigits(null)]).toEqual([null, null, null]);
  });
});

/** Numbers in every notation, with few and with many digits. */
const digits = fc.stringMatching(/^[0-9]{1,22}$/);
const written = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(fc.tuple(fc.constantFrom('', '+', '-'), fc.nat(30))))
  .map(([sign, whole, fraction, exponent]) => {
    const power = exponent === null ? '' : `e${exponent[0]}${exponent[1]}`;
    return `${sign}${whole.replace(/^0+(?=\d)/, '')}${fraction === null ? '' : `.${fraction}`}${power}`;
  });
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** The value of a number in units of 10^-90. */
function units(text: string): bigint {
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)(\d+)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const value = BigInt(whole + fraction) * 10n ** BigInt(90 + Number(power) - fraction.length);
  return sign === '-' ? -value : value;
}

describe('parseBody', () => {
  test('keeps the value of every number at any place, and gives a double if a double can hold it', () => {
    fc.assert(
      fc.property(written, space, space, fc.string(), (number, before, after, text) => {
        const body = `{"a":${before}${number}${after},"b":[${JSON.stringify(text)},${before}${number}${after}],"c":[${number}]}`;
        const parsed = Object(parseBody(body));
        for (const value of [parsed.a, parsed.b[1], parsed.c[0]]) {
          expect(units(JSON.stringify(value))).toBe(units(number));
          const isHeld = units(String(Number(number))) === units(number);
          expect(typeof value).toBe(isHeld ? 'number' : 'object');
          if (!isHeld) expect(exactDigits(value)).toBe(number);
        }
        expect(JSON.stringify(parseBody(number))).toBe(JSON.stringify(parsed.a));
      }),
    );
  });

  test.each([
    '12345678901234567890',
    '-9007199254740993',
    '0.1234567890123456789',
    '1.00000000000000000001',
    '1e-400',
    '1e400',
    '0.1000000000000000055511151231257827',
    `1${'0'.repeat(400)}`,
  ])('keeps %s', (number) => {
    expect(exactDigits(parseBody(number))).toBe(number);
  });

  test.each(['1.10', '1E5', '1e21', '-0', '0.0', '0e5', '100000000000000000000', '0.30000000000000004', '9007199254740992'])(
    '%s is a double',
    (number) => {
      expect(parseBody(number)).toBe(Number(number));
    },
  );

  test('text that only resembles a number does not need the slower parser', () => {
    const text = JSON.stringify({
      id: 'call_12345678901234567890',
      at: '2026-11-26T12:00:00.123456789012Z',
      hash: '3e5f1e2',
      n: 1.5,
    });
    expect(mayLoseDigits(text)).toBe(false);
    expect(mayLoseDigits('{"n":12345678901234567}')).toBe(true);
  });

  test.each(['', '{', '[1e]', '12345678901234567890x'])('%s is not JSON', (text) => {
    expect(() => parseBody(text)).toThrow(SyntaxError);
  });
});

describe('a number that keeps its digits', () => {
  const body = () => parseBody('{"id":12345678901234567890,"__proto__":{"list":[{"n":1e-400},"x",null]},"1":2}');

  test('has no keys, and counts as one value', () => {
    const number = parseBody('12345678901234567890');
    expect(isObject(number)).toBe(false);
    const counter = new JsonCounter();
    counter.value([number]);
    expect(counter.values).toBe(2);
  });

  test('is copied with the object around it', () => {
    const before = body();
    const copy = cloneJson(before);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(before));
    expect(Object.keys(copy as object)).toEqual(Object.keys(before as object));
    Object(copy).id = 1;
    Object(Object.getOwnPropertyDescriptor(copy, '__proto__')?.value).list.push(2);
    expect(JSON.stringify(before)).toBe(JSON.stringify(body()));
  });
});
