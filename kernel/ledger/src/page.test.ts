import fc from 'fast-check';
import { expect, it } from 'vitest';
import { recordsIn } from './page.ts';

const texts = (records: readonly Uint8Array[] | null): string[] | undefined =>
  records?.map((record) => Buffer.from(record).toString());

it('finds the records of a page as they were sent', () => {
  const record = fc
    .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }))
    .map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const wellFormed = records.map((text) => text.toWellFormed());
      expect(texts(recordsIn(Buffer.from(`{"records":[${wellFormed.join(',')}]}`)))).toEqual(wellFormed);
    }),
  );
});

it('refuses a page with an unknown beginning or end', () => {
  for (const page of ['', '{"records":[', ']}', '{"records":]}', '[]', '{"records":[{}] }', '{"code":"SVC-AUTH-001"}'])
    expect(recordsIn(Buffer.from(page))).toBeNull();
});

it('returns an invalid record unchanged, so that the check can refuse it', () => {
  expect(texts(recordsIn(Buffer.from('{"records":[{}},1,"x]}')))).toEqual(['{}},1,"x']);
});
