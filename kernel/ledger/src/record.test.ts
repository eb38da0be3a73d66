import { createHash } from 'node:crypto';
import { ModelInventory, RunEvidence } from '@svc/contracts';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import type { RecordPlace } from './chained-record.ts';
import { type RecordFault, readRecord } from './record.ts';
import { vectorLedger } from './test-vectors.ts';

/** Few of the changed texts are still valid records, but some must be. */
const RUNS = 1000;
const texts = vectorLedger();

const digestOf = (data: string | Buffer): string => `sha256:${createHash('sha256').update(data).digest('hex')}`;

/** Reads a record by definition, with uncompiled schemas and without shortcuts. */
function definition(bytes: Buffer, { seq, hash: last }: Pick<RecordPlace, 'seq' | 'hash'>): RecordFault | null {
  let record: Record<string, unknown>;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not_json';
    record = value as Record<string, unknown>;
  } catch {
    return 'not_json';
  }
  if (canonicalOrNull(record) !== bytes.toString()) return 'not_canonical';
  const { hash, ...body } = record;
  if (body.seq !== seq + 1) return 'wrong_seq';
  if (body.prev_hash !== last) return 'wrong_prev_hash';
  if (hash !== digestOf(canonicalOrNull(body) ?? '')) return 'wrong_hash';
  return Value.Check(RunEvidence, record) || Value.Check(ModelInventory, record) ? null : 'wrong_schema';
}

function canonicalOrNull(value: unknown): string | null {
  try {
    return canonicalize(value) ?? null;
  } catch {
    return null;
  }
}

/** Compares `readRecord` with the definition, for `made` at the position of the record `of`. Returns whether `made` is valid. */
function agree(made: string | Buffer, of: string): boolean {
  const { seq, prev_hash } = JSON.parse(of) as RecordPlace;
  const after = { seq: seq - 1, hash: prev_hash };
  const bytes = Buffer.from(made);
  const read = readRecord(bytes, after);
  expect(typeof read === 'string' ? read : null).toBe(definition(bytes, after));
  if (typeof read === 'string') return false;
  const { place, model_id, run } = read;
  const { run_id = null, principal_id, status, created_at, approver, ...record } = JSON.parse(bytes.toString());
  expect(run).toEqual(run_id === null ? null : { run_id, principal_id, status, created_at, approver });
  expect(record).toMatchObject({ ...place, model_id });
  return true;
}

/** The record with the hash of its new content. */
function hashedAnew(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Buffer {
  const member = /"hash":"sha256:[0-9a-f]{64}",/;
  const body = Buffer.from(text.replace(member, ''), encoding);
  return Buffer.from(
    text.replace(member, () => `"hash":"${digestOf(body)}",`),
    encoding,
  );
}

const pick = fc.constantFrom(...texts);
const hostile = fc.constantFrom(
  ...['"', '\\', '\\"', '\\u0007', '\\u000a', '\\u0041', '\\/', '\\n', '\t', ' ', ',', ':', '{', '}', '[', ']', '{}', '[]'],
  ...['0', '-0', '-', '01', '1.0', '1e3', '1E400', '9007199254740993', '0000', 'true', 'nul', 'null', '"a":1,', '"10":1,"9":1,'],
  ...['é', '\u007f', '\u2028', '\ud83d\ude00', '\ufeff', '\u0000', ',"seq":1', '"__proto__":{},', '"toJSON":1,', '#', '9', 'Z'],
  ...['"hash":"x",', `"hash":"sha256:${'0'.repeat(64)}",`, '"a\\"hash":"x",'],
);
const piece = fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 3 }));

it('accepts the records of the vectors', () => {
  expect(texts.every((text) => agree(text, text))).toBe(true);
});

it('refuses an invalid record and names its first fault: changed at any place, with the old or a new hash', () => {
  let taken = 0;
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 4 }), piece), { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(pick, changes, fc.boolean(), (text, some, again) => {
      const changed = some.reduce((now, [where, length, put]) => {
        const at = where % (now.length + 1);
        return now.slice(0, at) + put + now.slice(at + length);
      }, text);
      if (agree(again ? hashedAnew(changed) : changed, text)) taken += 1;
    }),
    { numRuns: RUNS },
  );
  // Without valid records, only rejections would be tested.
  expect(taken).toBeGreaterThan(RUNS / 50);
});

it('refuses a record if a field has the wrong type for its schema', () => {
  const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }).map((date) => date.toISOString());
  const other = fc.oneof(
    fc.jsonValue({ stringUnit: 'binary' }),
    fc.array(
      fc.record({ event_type: fc.string(), stage: fc.string(), node: fc.string({ unit: 'binary' }), data: fc.jsonValue() }),
      { maxLength: 3 },
    ),
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
    time,
    time.map((text) => text.replace(/0/, '9')),
  );
  fc.assert(
    fc.property(pick, fc.nat(), other, (text, which, put) => {
      const { hash: _, ...body } = JSON.parse(text);
      const field = Object.keys(body)[which % Object.keys(body).length] ?? '';
      const changed = JSON.parse(JSON.stringify({ ...body, [field]: put }).toWellFormed());
      const canonical = canonicalOrNull(changed);
      fc.pre(canonical !== null);
      agree(canonicalize({ ...changed, hash: digestOf(canonical ?? '') }) ?? '', text);
    }),
    { numRuns: RUNS },
  );
});

it('refuses bytes that are not text', () => {
  fc.assert(
    fc.property(pick, fc.nat(), fc.nat({ max: 255 }), (text, where, byte) => {
      const bytes = Buffer.from(text);
      bytes[where % bytes.length] = byte;
      agree(hashedAnew(bytes.toString('latin1'), 'latin1'), text);
    }),
    { numRuns: RUNS },
  );
});

it.each([
  ['no prev_hash', { seq: 1, hash: 'x' }, { prev_hash: undefined }],
  [
    'a hash in its events',
    null,
    { events: [{ event_type: 'a', stage: '', node: '', data: { hash: `sha256:${'0'.repeat(64)}`, x: 1 } }] },
  ],
  [
    'nothing behind its hash',
    { seq: 0, hash: '' },
    { prev_hash: undefined, record_type: undefined, seq: undefined, status: undefined },
  ],
])('computes the hash of a record with %s', (_, after, changes) => {
  const [, text = ''] = texts;
  const { hash: __, ...body } = { ...JSON.parse(text), ...changes };
  const sealed = canonicalize({ ...body, hash: digestOf(canonicalize(JSON.parse(JSON.stringify(body))) ?? '') }) ?? '';
  const read = readRecord(Buffer.from(sealed));
  if (after === null) expect(read).not.toBeTypeOf('string');
  else expect(read).toBe('wrong_schema');
});

it('knows the number of days of each month', () => {
  const [, record = ''] = texts;
  const days = ['2026-02-28', '2026-02-29', '2024-02-29', '2026-04-30', '2026-04-31', '2026-00-10', '2026-13-10', '2026-12-32'];
  const taken = days.filter((day) => agree(hashedAnew(record.replace(/"created_at":"[^T]*/, `"created_at":"${day}`)), record));
  expect(taken).toEqual(['2026-02-28', '2024-02-29', '2026-04-30']);
});
