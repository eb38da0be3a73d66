import { isObject } from '@svc/contracts';
import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { withDefaults } from './defaults.ts';

const Inner = Type.Object({ n: Type.Integer({ default: 3 }), s: Type.Optional(Type.String()) });
const Schema = Type.Object({
  inner: Type.Object({ deep: Inner }, { default: { deep: {} } }),
  map: Type.Record(Type.String(), Inner, { default: {} }),
  list: Type.Array(Inner, { default: [] }),
  either: Type.Optional(
    Type.Union([Type.Object({ a: Type.Literal(1) }), Type.Object({ b: Type.Literal(2), n: Type.Integer({ default: 5 }) })]),
  ),
});

describe('withDefaults', () => {
  it('fills in missing values at any depth', () => {
    expect(withDefaults(Schema, { map: { x: {} }, list: [{}, { n: 1 }], either: { b: 2 } })).toEqual({
      inner: { deep: { n: 3 } },
      map: { x: { n: 3 } },
      list: [{ n: 3 }, { n: 1 }],
      either: { b: 2, n: 5 },
    });
  });

  it('fills in the defaults of the variant that a constant selects, even if other values are invalid', () => {
    expect(withDefaults(Schema, { either: { b: 2, n: 'x' } })).toMatchObject({ either: { b: 2, n: 'x' } });
    expect(withDefaults(Schema, { either: { b: 2, a: 3 } })).toMatchObject({ either: { b: 2, a: 3, n: 5 } });
  });

  it('keeps existing values, including null, wrong types and unknown keys', () => {
    const value = { inner: null, map: 7, list: { a: 1 }, extra: { x: [] } };
    expect(withDefaults(Schema, value)).toEqual(value);
  });

  it('returns new default objects and does not change its argument', () => {
    const value = Object.freeze({ map: Object.freeze({ x: Object.freeze({}) }) });
    const [first, second] = [withDefaults(Schema, value), withDefaults(Schema, value)];
    expect(first).toEqual(second);
    if (!isObject(first) || !isObject(second)) throw new Error('no maps');
    expect(first.list).not.toBe(second.list);
  });

  it('also reads a schema that was written by hand', () => {
    expect(withDefaults({ type: 'object', properties: { a: { type: 'integer', default: 3 } } }, {})).toEqual({ a: 3 });
  });

  it('changes nothing when it is applied again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = withDefaults(Schema, value);
        expect(withDefaults(Schema, once)).toEqual(once);
      }),
    );
  });
});
