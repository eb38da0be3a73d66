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

it('returns the events of a record in canonical form', () => {
  fc.assert(
    fc.property(evidence, (record) => {
      expect(eventsTextOf(canonicalJson(record))).toBe(canonicalJson(record.events));
    }),
    { numRuns: 1000 },
  );
});

it('returns the events whatever other fields the record has', () => {
  const added = fc.dictionary(fc.oneof(string, fc.constantFrom('a', 'event', 'eventsA', 'f', 'finish', 'zz', '__proto__')), json);
  fc.assert(
    fc.property(evidence, added, (record, more) => {
      const { events } = record;
      expect(eventsTextOf(canonicalJson({ ...more, ...record }))).toBe(canonicalJson(events));
    }),
    { numRuns: 1000 },
  );
  for (const name of ['a', 'eventsource', 'feedback', 'z'])
    for (const value of [0, null, 'events', [], ['"events":['], { hash: 1 }, { events: [1] }])
      expect(eventsTextOf(canonicalJson({ events: [{ a: 1 }], hash: 'h', [name]: value }))).toBe('[{"a":1}]');
});

it('finds the events of the vectors', () => {
  const evidence = vectorLedger().filter((text) => text.includes('"record_type":"run_evidence"'));
  expect(evidence.length).toBeGreaterThan(0);
  for (const text of evidence) expect(eventsTextOf(text)).toBe(JSON.stringify(JSON.parse(text).events));
});

it('refuses a text without events', () => {
  const cut = [
    '{',
    '{"events',
    '{"events":',
    '{"events":[',
    '{"events":[{"data":{}}]',
    '{"events":[{"data":{}}],"ha',
    '{"events":[],"a":"\\"}',
  ];
  const other = [
    '',
    '{}',
    '[]',
    '[{"events":[]}]',
    '{"events":null,"hash":"a"}',
    '{"x":{"events":[]}}',
    '{"x":"\\"events\\":[]"}',
    '{"events":[]}}',
  ];
  for (const text of [...cut, ...other]) expect(() => eventsTextOf(text)).toThrow(expect.objectContaining({ code: 'DAMAGED' }));
});
