import { Type } from 'typebox';
import { Settings } from 'typebox/system';
import { describe, expect, it } from 'vitest';
import { schemaProblems } from './check-schema.ts';

const Rule = Type.Union([
  Type.Object(
    { kind: Type.Literal('words'), words: Type.Array(Type.String(), { minItems: 1 }) },
    { additionalProperties: false },
  ),
  Type.Object(
    { kind: Type.Literal('match'), match: Type.String({ pattern: '^a' }), flags: Type.Optional(Type.String()) },
    { additionalProperties: false },
  ),
]);
const Options = Type.Object(
  {
    rules: Type.Optional(Type.Array(Rule)),
    threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    verdict: Type.Optional(Type.Enum(['sanitize', 'block'])),
    text: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    names: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), {
        propertyNames: Type.String({ pattern: '^[a-z]+$', title: 'lower-case letters' }),
      }),
    ),
    list: Type.Optional(Type.Array(Type.String(), { uniqueItems: true })),
  },
  { additionalProperties: false },
);

describe('schemaProblems', () => {
  it('finds no problem in a valid value', () => {
    expect(
      schemaProblems(Options, { rules: [{ kind: 'match', match: 'abc' }], threshold: 0.5, text: ['x'], names: { a: 1 } }),
    ).toEqual([]);
  });

  it('names an unknown key and the nearest known key', () => {
    expect(schemaProblems(Options, { treshold: 1, 'a/b~c': 1 })).toMatchObject([
      { path: ['treshold'], at: 'key', nearest: 'threshold' },
      { path: ['a/b~c'], at: 'key', nearest: undefined },
    ]);
    expect(schemaProblems(Options, { timeout_mss: 1 }, ['timeout_ms'])).toMatchObject([
      { path: ['timeout_mss'], nearest: 'timeout_ms' },
    ]);
  });

  it.each([
    ['a value out of range', { threshold: 2 }, ['threshold'], 'a number from 0 to 1', undefined],
    ['a wrong type', { threshold: 'high' }, ['threshold'], 'a number from 0 to 1', undefined],
    ['a word that is not in the list', { verdict: 'blok' }, ['verdict'], 'one of sanitize, block', 'block'],
    ['a bad name in a map', { names: { A1: 1 } }, ['names', 'A1'], 'lower-case letters', undefined],
    ['a value of no variant', { text: 7 }, ['text'], 'text or a list', undefined],
    ['a discriminator of no variant', { rules: [{ kind: 'word', words: [] }] }, ['rules', '0'], undefined, undefined],
    ['an item listed twice', { list: ['a', 'b', 'a'] }, ['list', 2], undefined, undefined],
    ['nothing where something must be', { rules: [{ kind: 'words' }] }, ['rules', '0', 'words'], 'a non-empty list', undefined],
    [
      'a fault in the variant that was meant',
      { rules: [{ kind: 'match', match: 'b' }] },
      ['rules', '0', 'match'],
      'text that matches ^a',
      undefined,
    ],
    [
      'an unknown key in the variant that was meant',
      { rules: [{ kind: 'match', match: 'a', flag: 'i' }] },
      ['rules', '0', 'flag'],
      undefined,
      'flags',
    ],
  ])('reports %s at its place, once', (_what, value, path, expected, nearest) => {
    const problems = schemaProblems(Options, value);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      path,
      ...(expected === undefined ? {} : { expected }),
      ...(nearest === undefined ? {} : { nearest }),
    });
  });

  it('finds every problem, however many there are, and does not change the state of TypeBox', () => {
    const before = Settings.Get().maxErrors;
    const names = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [String.fromCharCode(97 + (index % 26)).repeat(1 + index / 26), 'x']),
    );
    expect(schemaProblems(Options, { names, threshold: 7 })).toHaveLength(51);
    expect(Settings.Get().maxErrors).toBe(before);
  });

  it('does not judge a reference to a secret, not even in a variant', () => {
    const reference = 'secret://env/X#value';
    expect(
      schemaProblems(Options, { rules: [{ kind: 'match', match: reference }], threshold: reference, text: reference }),
    ).toEqual([]);
    expect(schemaProblems(Options, { rules: [{ kind: 'match', match: reference, flags: 1 }] })).toMatchObject([
      { path: ['rules', '0', 'flags'] },
    ]);
  });

  it('also checks a schema that was written by hand', () => {
    const byHand = { type: 'object', additionalProperties: false, required: ['a'], properties: { a: { type: 'integer' } } };
    expect(schemaProblems(byHand, { a: 'x', b: 1 })).toMatchObject([
      { path: ['b'] },
      { path: ['a'], expected: 'a whole number' },
    ]);
  });

  it('never contains a value of the configuration', () => {
    const value = {
      threshold: 'hunter2',
      verdict: 'hunter2',
      rules: ['hunter2'],
      text: { hunter2: 'hunter2' },
      list: ['hunter2', 'hunter2'],
    };
    expect(JSON.stringify(schemaProblems(Options, value).map(({ path: _path, ...rest }) => rest))).not.toContain('hunter2');
  });
});
