import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeOf } from './place.ts';

describe('placeOf', () => {
  it.each([
    ['#/required', 'required'],
    ['#/properties/age/type', 'properties.age.type'],
    ['defs.json#/$defs/x/type', '_.x.type'],
    ['#/patternProperties/secret/type', 'patternProperties._.type'],
    ['#/properties/a%20b~1c/type', 'properties._.type'],
    [`#/properties/${'a'.repeat(49)}/type`, 'properties._.type'],
    [`#/properties/${'a'.repeat(40)}/properties/${'b'.repeat(40)}/type`, `properties.${'b'.repeat(40)}.type`],
    ['', 'schema'],
  ])('%s', (path, place) => {
    expect(placeOf(path)).toBe(place);
  });

  it('always gives a valid name for a finding', () => {
    fc.assert(
      fc.property(fc.string(), (path) => {
        expect(placeOf(path)).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
      }),
    );
  });
});
