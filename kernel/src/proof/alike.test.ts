import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../ledger/canonical.ts';
import { alike } from './alike.ts';
import { type EndOf, endOfAny, NO, OBJECT } from './scan.ts';

const RUNS = 2000;

/** Where a text stands in the bytes: at their beginning, or with others before it. */
const BEFORE = 'x"{,';

const endOfObject: EndOf = (bytes, at) => (bytes[at] === OBJECT ? endOfAny(bytes, at) : NO);

/** What a reader that read the others before says of the last, and what one says that remembers nothing. */
function compare(texts: readonly string[]): void {
  const remembering = alike(endOfObject);
  for (const text of texts) {
    const bytes = Buffer.from(`${BEFORE}${text}\0`);
    // Often enough that it is past every pause, and looks at all of them.
    const ends = new Set(Array.from({ length: 18 }, () => remembering(bytes, BEFORE.length)));
    expect({ text, ends: [...ends] }).toEqual({ text, ends: [endOfObject(bytes, BEFORE.length)] });
  }
}

const name = fc.constantFrom('a', 'ab', 'b', 'c', 'code', '', 'é', '"', '1');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      0,
      1,
      12,
      -1,
      123,
      -12,
      1.5,
      1e21,
      999_999_999_999_999,
      1e15,
      true,
      false,
      null,
      '',
      'a',
      '1',
      '"',
      '\\',
      '\n',
      '\u0001',
      'a"b',
      '","a":"',
    ),
    fc.integer(),
    fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.toWellFormed()),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));
const object = fc.dictionary(name, value, { minKeys: 1, maxKeys: 4 }).map(canonicalJson);

const piece = fc.constantFrom(
  ...'"\\,:{}[]01-.eatn é\u0000\u001f',
  '""',
  '"a"',
  '"a":',
  ',"a":1',
  '{}',
  '[]',
  'null',
  'true',
  '-0',
  '01',
  '12',
  '1.0',
  '\\u0001',
  '\\u0041',
  '1234567890123456',
);
const changed = (base: string): fc.Arbitrary<string> =>
  fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), piece), { maxLength: 2 }).map((changes) =>
    changes.reduce((now, [where, length, put]) => {
      const at = where % (now.length + 1);
      return now.slice(0, at) + put + now.slice(at + length);
    }, base),
  );

it('says of what is nearly as it was before what one says that never saw that', () => {
  const family = object.chain((base) =>
    fc.array(changed(base), { minLength: 1, maxLength: 12 }).map((others) => [base, ...others, base]),
  );
  fc.assert(fc.property(family, compare), { numRuns: RUNS });
});

it('and of any others, in any order and again', () => {
  const some = fc.array(object, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(some, fc.array(fc.nat(), { maxLength: 30 }), (texts, order) => {
      compare(order.map((n) => texts[n % texts.length] ?? ''));
    }),
    { numRuns: RUNS / 4 },
  );
});

it.each([
  [
    '{"a":12,"b":1}',
    '{"a":1,"b":1}',
    '{"a":123,"b":1}',
    '{"a":-12,"b":1}',
    '{"a":012,"b":1}',
    '{"a":1.2,"b":1}',
    '{"a":,"b":1}',
    '{"a":"12","b":1}',
  ],
  ['{"a":1}', '{"a":12}', '{"a":12', '{"a":1]', '{"a":1,"b":2}', '{"a":1,}', '{"a":1e3}', '{"a":null}'],
  [
    '{"a":"x"}',
    '{"a":"x","a":"x"}',
    '{"a":"xy"}',
    '{"a":""}',
    '{"a":"x""}',
    '{"a":"\\u0041"}',
    '{"a":"\\n"}',
    '{"a":"x',
    '{"a":1}',
    '{"b":"x"}',
  ],
  ['{"a":[1,2]}', '{"a":[1]}', '{"a":[]}', '{"a":[1,2,3]}', '{"a":[1,]}', '{"a":{}}'],
  ['{"a":true}', '{"a":false}', '{"a":trues}', '{"a":tru}'],
])('reads %j, and then others, as if it had not', (...texts) => {
  compare(texts.flatMap((text) => [texts[0] ?? '', text]));
});

it('asks again only for what is not like one of those before, and for some after it', () => {
  let asked = 0;
  const remembering = alike((bytes, at) => {
    asked += 1;
    return endOfObject(bytes, at);
  });
  const read = (value: object): boolean => remembering(Buffer.from(`${canonicalJson(value)}\0`), 0) !== NO;
  const askedFor = (values: readonly object[]): number => {
    asked = 0;
    expect(values.every(read)).toBe(true);
    return asked;
  };
  const many = Array.from({ length: 1000 }, (_, n) => ({ n, node: `node ${n}`, of: n % 2 === 0 ? [] : [n, 'x'] }));
  expect(askedFor(many)).toBeLessThan(many.length / 10);
  expect(askedFor(many)).toBe(0);
  // Too large to be kept.
  expect(askedFor(Array.from({ length: 50 }, () => ({ large: 'x'.repeat(5000) })))).toBe(50);
});
