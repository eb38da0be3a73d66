import { parseBody } from '@svc/contracts';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical.ts';

const key = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.nat().map(String));
const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string().map((text) => `\\ud${text}`),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, undefined, -0, '\ud800', () => 1, Symbol('s'), new Date(0), Object(1)),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value')), tie('object'), tie('sorted')),
  object: fc.dictionary(key, tie('value')),
  sorted: fc.dictionary(key, tie('value')).map((members) => Object.fromEntries(Object.entries(members).sort(byKey))),
}));

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function orThrown(write: () => string | undefined): string {
  try {
    return write() ?? 'thrown';
  } catch {
    return 'thrown';
  }
}

it('writes every value like the reference implementation, or refuses it as that does', () => {
  fc.assert(
    fc.property(value, (any) => {
      expect(orThrown(() => canonicalJson(any))).toBe(orThrown(() => canonicalize(any)));
    }),
  );
});

it.each([{ b: 1, a: 2 }, { 9: 1, 10: 2 }, { '\uffff': 1, '\u{1f600}': 2 }, { a: [{ c: 1, b: 2 }] }])(
  'sorts what is not in order: %j',
  (unordered) => {
    expect(canonicalJson(unordered)).toBe(canonicalize(unordered));
  },
);

it('writes JSON of any depth', () => {
  const deep = JSON.parse(`${'[{"b":'.repeat(100_000)}{"d":0,"c":1}${'}]'.repeat(100_000)}`);
  expect(canonicalJson(deep)).toMatch(/\{"c":1,"d":0\}/);
});

it('refuses a cycle', () => {
  const circle: unknown[] = [];
  circle.push(circle);
  expect(() => canonicalJson(circle)).toThrow();
});

describe('a number that a double cannot hold', () => {
  const ID = '12345678901234567890';

  it('is written with its digits, whatever the order of the keys', () => {
    const canonical = `{"a":[${ID},0.1234567890123456789],"b":1,"c":{"10":null,"9":"x"}}`;
    for (const text of [canonical, `{"c":{"9":"x","10":null},"b":1,"a":[${ID},0.1234567890123456789]}`])
      expect(canonicalJson(parseBody(text))).toBe(canonical);
    expect(canonicalJson(parseBody(ID))).toBe(ID);
  });

  it('differs from every other number, and from similar values', () => {
    const values = [ID, '12345678901234567891', '12345678901234567000', `"${ID}"`, `{"rawJSON":"${ID}"}`, `[${ID}]`];
    for (const wrapped of ['{"b":1,"a":', '{"a":']) {
      const written = values.map((value) => canonicalJson(parseBody(`${wrapped}${value}}`)));
      expect(new Set(written).size).toBe(values.length);
    }
  });

  it('does not change the values next to it', () => {
    fc.assert(
      fc.property(value, (any) => {
        const beside = orThrown(() => canonicalize({ a: any, b: 1 }));
        const written = orThrown(() => canonicalJson({ b: parseBody(ID), a: any }));
        expect(written).toBe(beside === 'thrown' ? beside : beside.replace(/1\}$/, `${ID}}`));
      }),
    );
  });
});
