import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { expect, it } from 'vitest';
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

it('writes every value as the reference implementation does, or refuses it with it', () => {
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

it('refuses a circle', () => {
  const circle: unknown[] = [];
  circle.push(circle);
  expect(() => canonicalJson(circle)).toThrow();
});
