import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, sha256 } from './canonical.ts';
import { placeRecord, prepareRecord } from './prepare.ts';

const body = fc.record({
  record_type: fc.constant('run_evidence'),
  model_id: fc.string({ unit: 'grapheme' }),
  events: fc.array(fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value).toWellFormed()))),
  approver: fc.option(fc.record({ at: fc.string({ unit: 'grapheme' }) })),
});

it('a placed record is the canonical JSON of the whole record, and its hash covers the record without the hash', () => {
  fc.assert(
    fc.property(body, fc.integer({ min: 1 }), fc.string({ unit: 'grapheme' }), (fields, seq, prev_hash) => {
      const { bytes, hash } = placeRecord(prepareRecord(fields), seq, prev_hash);
      expect(hash).toBe(sha256(canonicalJson({ ...fields, seq, prev_hash })));
      expect(bytes).toBe(canonicalJson({ ...fields, seq, prev_hash, hash }));
    }),
  );
});

it('no field is lost, whatever its name', () => {
  const fields = { record_type: 'run_evidence', model_id: 'm', '': 0, '\ue000': 1, '\u{1f600}': 2, '\uffff': 3, z: 4 };
  const { bytes, hash } = placeRecord(prepareRecord(fields), 1, 'genesis');
  expect(bytes).toBe(canonicalJson({ ...fields, seq: 1, prev_hash: 'genesis', hash }));
});

it.each(['hash', 'prev_hash', 'seq'])('refuses a field %s, which comes with the place', (name) => {
  expect(() => prepareRecord({ record_type: 'run_evidence', model_id: 'm', [name]: 1 })).toThrow(TypeError);
});

it('refuses values that cannot be hashed the same way twice', () => {
  expect(() => prepareRecord({ record_type: 'run_evidence', model_id: '\ud800' })).toThrow();
  expect(() => prepareRecord({ record_type: 'run_evidence', model_id: 'm', '\ud800': 1 })).toThrow();
  expect(() => prepareRecord({ record_type: 'run_evidence', model_id: 'm', n: Number.NaN })).toThrow();
});
