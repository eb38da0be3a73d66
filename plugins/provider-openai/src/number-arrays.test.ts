import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberArrays } from './number-arrays.ts';

const LIMITS = { vectors: 100, dimensions: 1_000, text_bytes: 1_000_000 };

/** The result of a reader for a text that arrives in pieces of this length, with the arrays of numbers back in their places. */
function read(json: string, length: number): unknown {
  const bytes = Buffer.from(json);
  const reader = new NumberArrays(LIMITS);
  for (let at = 0; at < bytes.length; at += length) reader.take(bytes.subarray(at, at + length));
  return JSON.parse(reader.text(), (_key, value) =>
    Array.isArray(value) && value.length === 1 && typeof value[0] === 'number' ? reader.vector(value[0]) : value,
  );
}

it('reads any JSON as a parser does, wherever it is cut', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(number, { maxLength: 5 }),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('tree'), { maxKeys: 4 }),
      fc.boolean(),
    ),
  }));
  fc.assert(
    fc.property(tree, fc.integer({ min: 1, max: 20 }), fc.constantFrom(undefined, 2), (value, length, indent) => {
      const json = JSON.stringify(value, null, indent);
      expect(read(json, length)).toEqual(JSON.parse(json));
    }),
  );
});

describe('is abandoned', () => {
  it.each([
    ['more vectors than asked for', `[${'[1],'.repeat(100)}[1]]`],
    ['a vector that is too long', `[${'1,'.repeat(1_000)}1]`],
    ['one that never ends', `[${' '.repeat(100_000)}`],
    ['numbers that are none', '[1,,2]'],
    ['too long a text', `"${'x'.repeat(1_000_001)}"`],
  ])('%s', (_name, json) => {
    expect(() => new NumberArrays(LIMITS).take(Buffer.from(json))).toThrow(expect.objectContaining({ kind: 'malformed' }));
  });
});

it('holds eight bytes per number, however many digits it has', () => {
  const vector = `[${Array.from({ length: 1_000 }, () => '-0.012345678901234567').join(',\n          ')}]`;
  const json = `[${Array.from({ length: 100 }, () => vector).join(',')}]`;
  expect(new NumberArrays(LIMITS).take(Buffer.from(json))).toBeLessThan(100 * 1_000 * 8 + 20_000);
  expect(json.length).toBeGreaterThan(3_000_000);
});
