import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GENESIS } from '../contracts/index.ts';
import { canonicalJson, sha256 } from '../ledger/canonical.ts';
import { FastReader, SHA256 } from './fast-reader.ts';
import { type ReadRecord, readRecord } from './record.ts';
import { endOfAny, NO } from './scan.ts';
import { vectorLedger } from './test-vectors.ts';

const RUNS = 3000;

const texts = vectorLedger();
const reader = new FastReader();

interface Place {
  readonly seq: number;
  readonly prev_hash: string;
}

/** What both say of a record that claims this place. @returns whether the fast one was sure */
function agree(text: string | Buffer, { seq, prev_hash }: Place): boolean {
  const bytes = Buffer.from(text);
  const after = { seq: seq - 1, hash: prev_hash };
  const fast = reader.read(bytes, after.seq, prev_hash === GENESIS ? null : prev_hash.slice(SHA256.length));
  if (fast === null) return false;
  const { place, run_id } = readRecord(bytes, after) as ReadRecord;
  expect({ hash: SHA256 + fast.digest, run_id: fast.run_id && Buffer.from(fast.run_id).toString() }).toEqual({
    hash: place.hash,
    run_id,
  });
  return true;
}

const hostile = fc.constantFrom(
  ...[
    '"',
    '\\',
    '\\"',
    '\\u0007',
    '\\u001f',
    '\\u000a',
    '\\u0041',
    '\\/',
    '\\n',
    '\t',
    ' ',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '{}',
    '[]',
  ],
  ...[
    '0',
    '-0',
    '-',
    '01',
    '1.0',
    '1e3',
    '1E400',
    '9007199254740993',
    '999999999999999',
    '0000',
    'true',
    'nul',
    'null',
    '"a":1,',
  ],
  ...['é', '\u007f', '\u2028', '\ud83d\ude00', '\ufeff', '\u0000', ',"seq":1', '"__proto__":{},', '#', '9', 'A', 'Z'],
);
const piece = fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 3 }));

/** A text with some of its parts taken out, put in or changed, where the tokens are as well as anywhere. */
const mutated = (base: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(base, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 4 }), piece), { minLength: 1, maxLength: 3 })).map(([text, changes]) =>
    changes.reduce((now, [where, length, put]) => {
      const at = where % (now.length + 1);
      return now.slice(0, at) + put + now.slice(at + length);
    }, text),
  );

const key = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 3 }),
  fc.constantFrom('', 'a', 'b', 'ab', '"', '\\', '__proto__', 'seq'),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.integer(),
    fc.double(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));
const canonical = value
  .filter((each) => JSON.stringify(each).isWellFormed())
  .map((each) => canonicalJson(JSON.parse(JSON.stringify(each))));

function accepts(text: string): boolean {
  const bytes = Buffer.from(`${text}\0`);
  return endOfAny(bytes, 0) === bytes.length - 1;
}

function isCanonical(text: string): boolean {
  try {
    return canonicalJson(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

describe('the scanner', () => {
  it('accepts nothing but canonical JSON', () => {
    fc.assert(
      fc.property(fc.oneof(mutated(canonical), fc.json(), mutated(fc.json())), (text) => {
        if (text.isWellFormed() && accepts(text)) expect(isCanonical(text)).toBe(true);
      }),
      { numRuns: RUNS * 3 },
    );
  });

  it('accepts all canonical JSON whose keys are plain and whose numbers are integers', () => {
    const plainKey = fc.string({ unit: 'grapheme-ascii', maxLength: 4 }).filter((each) => !/["\\]/.test(each));
    const { plain } = fc.letrec<{ plain: unknown }>((tie) => ({
      plain: fc.oneof(
        { maxDepth: 5 },
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.string({ unit: 'binary' }),
        fc.array(tie('plain')),
        fc.dictionary(plainKey, tie('plain')),
      ),
    }));
    fc.assert(
      fc.property(plain, (each) => {
        expect(accepts(canonicalJson(each))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '{"b":1,"a":1}',
    '{"a":1,}',
    '[1,]',
    '[,]',
    '{"a"}',
    '-0',
    '01',
    '1.0',
    '',
    ' 1',
    '"\\u000a"',
    '"\\u0041"',
    '"',
    '{',
    '[',
  ])('refuses %j', (text) => {
    expect(accepts(text)).toBe(false);
  });

  it('is not sure of what is nested too deep', () => {
    expect(accepts('['.repeat(60) + ']'.repeat(60))).toBe(true);
    expect(endOfAny(Buffer.from(`${'['.repeat(1e5)}${']'.repeat(1e5)}\0`), 0)).toBe(NO);
  });
});

describe('the fast reader', () => {
  const pick = fc.constantFrom(...texts);
  const placeOf = (text: string): Place => JSON.parse(text);

  it('is sure of what the gateway writes', () => {
    // The others have keys outside ASCII, and fractions.
    expect(texts.map((text) => agree(text, placeOf(text)))).toEqual(texts.map((_, index) => index !== 5 && index !== 7));
  });

  it('agrees on records that were changed anywhere, hashed anew or not', () => {
    let sure = 0;
    fc.assert(
      fc.property(
        pick,
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 4 }), piece), { minLength: 1, maxLength: 2 }),
        fc.boolean(),
        (text, changes, again) => {
          const changed = changes.reduce((now, [where, length, put]) => {
            const at = where % (now.length + 1);
            return now.slice(0, at) + put + now.slice(at + length);
          }, text);
          if (agree(again ? hashedAnew(changed) : changed, placeOf(text))) sure += 1;
        },
      ),
      { numRuns: RUNS * 3 },
    );
    // Else it would be a test of nothing.
    expect(sure).toBeGreaterThan(RUNS / 10);
  });

  it('agrees on records whose fields have other values', () => {
    const events = fc.array(
      fc.record({ event_type: fc.string(), stage: fc.string(), node: fc.string({ unit: 'binary' }), data: value }),
      { maxLength: 3 },
    );
    const time = fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
      .map((date) => date.toISOString());
    const other = fc.oneof(
      value,
      events,
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
        fc.pre(canonicalizable(changed));
        agree(canonicalJson({ ...changed, hash: sha256(canonicalJson(changed)) }), placeOf(text));
      }),
      { numRuns: RUNS * 2 },
    );
  });

  it('agrees on bytes that are no text', () => {
    fc.assert(
      fc.property(pick, fc.nat(), fc.nat({ max: 255 }), (text, where, byte) => {
        const bytes = Buffer.from(text);
        bytes[where % bytes.length] = byte;
        agree(hashedAnew(bytes.toString('latin1'), 'latin1'), placeOf(text));
      }),
      { numRuns: RUNS },
    );
  });

  it('knows the real days of each month', () => {
    const [, record = ''] = texts;
    for (const day of [
      '2026-02-28',
      '2026-02-29',
      '2024-02-29',
      '2026-04-30',
      '2026-04-31',
      '2026-00-10',
      '2026-13-10',
      '2026-12-31',
      '2026-12-32',
      '2026-12-00',
    ])
      for (const time of ['00:00:00', '23:59:59', '24:00:00', '23:60:00', '23:59:60', '09:00:61'])
        agree(hashedAnew(record.replace(/"created_at":"[^"]*"/, `"created_at":"${day}T${time}.000Z"`)), placeOf(record));
  });
});

function canonicalizable(record: unknown): boolean {
  try {
    canonicalJson(record);
    return true;
  } catch {
    return false;
  }
}

/** With the hash of its own bytes without it. */
function hashedAnew(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Buffer {
  const body = text.replace(/"hash":"sha256:[0-9a-f]{64}",/, '');
  return Buffer.from(
    text.replace(/"hash":"sha256:[0-9a-f]{64}",/, () => `"hash":"${sha256(Buffer.from(body, encoding))}",`),
    encoding,
  );
}
