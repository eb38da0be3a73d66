import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from './canonical.ts';
import { eventsTextOf } from './evidence.ts';
import { vectorLedger } from './test-vectors.ts';

const hostile = fc.constantFrom('events', 'hash', '"events":[', '],"hash":"', '\\', '"', '\\"events\\":[', ',"hash":"', ']');
const string = fc.oneof(hostile, fc.string({ unit: 'grapheme' }));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    string,
    fc.oneof(fc.integer(), fc.constant(null), fc.boolean()),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(string, tie('json'), { maxKeys: 4 }),
  ),
}));
const evidence = fc.record({
  approver: fc.option(fc.record({ at: string, decision: string, issuer: string, principal_id: string, subject: string })),
  completed_at: string,
  created_at: string,
  events: fc.array(fc.record({ data: fc.dictionary(string, json), event_type: string, node: string, stage: string })),
  hash: string,
  model_id: string,
  model_version: fc.option(string),
  principal_id: string,
  prev_hash: string,
  record_type: fc.constant('run_evidence'),
  run_id: string,
  seq: fc.nat(),
  status: string,
});

it('cuts out the events that a record is parsed to', () => {
  fc.assert(
    fc.property(evidence, (record) => {
      expect(eventsTextOf(canonicalJson(record))).toBe(canonicalJson(record.events));
    }),
    { numRuns: 1000 },
  );
});

it('finds those of the vectors', () => {
  const evidence = vectorLedger().filter((text) => text.includes('"record_type":"run_evidence"'));
  expect(evidence.length).toBeGreaterThan(0);
  for (const text of evidence) expect(eventsTextOf(text)).toBe(JSON.stringify(JSON.parse(text).events));
});

it('refuses a text without them', () => {
  for (const text of ['', '{}', '{"events":null,"hash":"a"}', '{"events":[{"data":{}}],"ha', '{"x":1,"hash":"a","events":[]}'])
    expect(() => eventsTextOf(text)).toThrow(expect.objectContaining({ code: 'DAMAGED' }));
});
