import { withoutOverlaps } from '@svc/toolkit/masking';
import { finderConformance } from '@svc/toolkit/testing';
import { describe, expect, test } from 'vitest';
import { KNOWN_ENTITIES, NAME_ENTITIES, recognisersOf } from '../entities.ts';
import { patternFinder } from '../pattern-finder.ts';
import { withPlainSigns } from '../plain-signs.ts';
import { SAMPLES } from './samples.ts';

/** The marked values of a sample. */
const marked = (sample: string): string[] => [...sample.matchAll(/\[([^\]]*)\]/g)].map(([, value = '']) => value);
const plain = (sample: string): string => sample.replace(/[[\]]/g, '');

async function valuesIn(entity_type: string, text: string): Promise<string[]> {
  const found = await patternFinder(recognisersOf([entity_type]), 0.4).find(withPlainSigns(text), 0);
  return withoutOverlaps(found, text.length).map(({ start, end }) => text.slice(start, end));
}

describe.each(Object.entries(SAMPLES))('%s', (entity_type, { found, passed }) => {
  test.each(found)('is found in %s', async (sample) => {
    expect(await valuesIn(entity_type, plain(sample))).toEqual(marked(sample));
  });

  test.each(passed)('is not in %s', async (text) => {
    expect(await valuesIn(entity_type, text)).toEqual([]);
  });

  const texts = [...found.map(plain), ...passed, `${found.map(plain).join(' ')}${passed.join('')}`.slice(0, 400)];
  for (const { name, run } of finderConformance({ finder: patternFinder(recognisersOf([entity_type]), 0.05), texts })) {
    test(`its recogniser ${name}`, run);
  }
});

test('every entity has samples', () => {
  const patterns = KNOWN_ENTITIES.filter((entity) => !NAME_ENTITIES.includes(entity) && entity !== 'NATIONAL_INSURANCE_NUMBER');
  expect(Object.keys(SAMPLES).toSorted()).toEqual(patterns.toSorted());
});
