import { GENESIS, type RecordParts, type RunEvent, type RunStatus } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, sha256 } from './canonical.ts';
import { evidenceOf } from './evidence.ts';
import { EMPTY_ROOT } from './merkle.ts';
import { placeRecord, prepareRecord } from './prepare.ts';
import { readRecord } from './record.ts';
import { LedgerVerifier, verifyLedger } from './verify-ledger.ts';

const AT = '2026-01-05T09:00:00.000Z';
const uuid = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

function evidence(n: number, status: RunStatus = 'completed', events: RunEvent[] = []): RecordParts {
  const row = { run_id: uuid(n), route: 'default', principal_id: 'alice', status, approvers: [], events, expires_at: null };
  const rest = { config_digest: '', created_at: AT, approver: null, owner: 'a', version: 1, evidence: null };
  return evidenceOf({ ...row, ...rest }, null, AT);
}

const inventory = prepareRecord({
  record_type: 'model_inventory',
  model_id: 'default',
  model_name: 'm',
  model_description: null,
  model_risk_rating: null,
  model_owner: null,
  model_developer: 'd',
  model_origin: 'o',
  model_version: null,
  date_of_deployment: AT,
  model_dependencies: [],
  data_sources: [],
  approved_uses: {},
  model_limitations: [],
  monitoring_status: '',
  date_of_most_recent_review: null,
  next_review_date: null,
  svc_config_path: null,
});

function chained(records: readonly RecordParts[], head = { seq: 0, hash: GENESIS as string }): string[] {
  let { seq, hash } = head;
  return records.map((parts) => {
    seq += 1;
    const placed = placeRecord(parts, seq, hash);
    hash = placed.hash;
    return placed.bytes;
  });
}

const status = fc.constantFrom<RunStatus>('completed', 'blocked', 'denied', 'error');
const event: fc.Arbitrary<RunEvent> = fc.record({
  event_type: fc.constantFrom('verdict', 'state'),
  stage: fc.constantFrom('ingress', 'egress'),
  node: fc.string({ unit: 'grapheme', maxLength: 8 }),
  data: fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.integer()),
});
/** A complete ledger of 3 to 12 records. */
const ledger = fc
  .array(fc.record({ status, events: fc.array(event, { maxLength: 2 }) }), { minLength: 2, maxLength: 11 })
  .map((runs) => chained([inventory, ...runs.map((run, n) => evidence(n, run.status, run.events))]));
/** A ledger and one of its records (0-based) that is not the last. */
const middle = ledger.chain((records) => fc.tuple(fc.constant(records), fc.integer({ min: 0, max: records.length - 2 })));

const faultOf = async (records: readonly string[]) => (await verifyLedger(records)).fault;

describe('a whole chain', () => {
  it('has no fault, and its head is its last hash', async () => {
    await fc.assert(
      fc.asyncProperty(ledger, async (records) => {
        const head = JSON.parse(records.at(-1) ?? '{}').hash;
        expect(await verifyLedger(records)).toMatchObject({
          records: records.length,
          evidence: records.length - 1,
          head,
          fault: null,
        });
      }),
    );
  });

  it('may be empty', async () => {
    const nothing = { records: 0, evidence: 0, head: GENESIS, root: EMPTY_ROOT, anchored: 0, fault: null };
    expect(await verifyLedger([])).toEqual(nothing);
  });

  it('may arrive in pieces', async () => {
    async function* pieces() {
      yield* chained([inventory, evidence(1)]);
    }
    expect(await verifyLedger(pieces())).toMatchObject({ records: 2, fault: null });
  });
});

describe('finds, with its seq,', () => {
  it('any change to any character of any record', async () => {
    await fc.assert(
      fc.asyncProperty(
        ledger,
        fc.nat(),
        fc.nat(),
        fc.string({ minLength: 0, maxLength: 2, unit: 'binary' }),
        async (records, which, where, put) => {
          const index = which % records.length;
          const bytes = records[index] ?? '';
          const at = where % bytes.length;
          const edited = bytes.slice(0, at) + put + bytes.slice(at + 1);
          fc.pre(edited !== bytes);
          expect((await faultOf(records.with(index, edited)))?.seq).toBe(index + 1);
        },
      ),
    );
  });

  it('a single flipped bit', async () => {
    await fc.assert(
      fc.asyncProperty(ledger, fc.nat(), fc.nat(), fc.nat({ max: 7 }), async (records, which, where, bit) => {
        const index = which % records.length;
        const bytes = Buffer.from(records[index] ?? '');
        const at = where % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        expect((await faultOf(records.with(index, bytes.toString())))?.seq).toBe(index + 1);
      }),
    );
  });

  it('any changed field, even if the record was hashed again', async () => {
    await fc.assert(
      fc.asyncProperty(middle, fc.nat(), fc.jsonValue({ maxDepth: 1 }), async ([records, index], which, value) => {
        const { hash: _, ...body } = JSON.parse(records[index] ?? '{}');
        const field = Object.keys(body)[which % Object.keys(body).length] ?? '';
        const forged = JSON.parse(JSON.stringify({ ...body, [field]: value }).toWellFormed());
        fc.pre(canonicalJson(forged) !== canonicalJson(body));
        const bytes = canonicalJson({ ...forged, hash: sha256(canonicalJson(forged)) });
        const seq = (await faultOf(records.with(index, bytes)))?.seq;
        // Either the record itself is invalid (seq, prev_hash, form), or the next record does not link to it.
        expect([index + 1, index + 2]).toContain(seq);
      }),
    );
  });

  it('a missing record', async () => {
    await fc.assert(
      fc.asyncProperty(middle, async ([records, index]) => {
        expect(await faultOf(records.toSpliced(index, 1))).toEqual({ seq: index + 1, through: index + 1, why: 'wrong_seq' });
      }),
    );
  });

  it('a missing beginning', async () => {
    await fc.assert(
      fc.asyncProperty(middle, async ([records, index]) => {
        expect(await faultOf(records.slice(index + 1))).toEqual({ seq: 1, through: 1, why: 'wrong_seq' });
      }),
    );
  });

  it('two records in the wrong order', async () => {
    await fc.assert(
      fc.asyncProperty(ledger, fc.nat(), fc.nat(), async (records, a, b) => {
        const [low = 0, high = 0] = [a % records.length, b % records.length].sort((x, y) => x - y);
        fc.pre(low !== high);
        const swapped = records.with(low, records[high] ?? '').with(high, records[low] ?? '');
        expect((await faultOf(swapped))?.seq).toBe(low + 1);
      }),
    );
  });

  it('a duplicate record, even the last one', async () => {
    await fc.assert(
      fc.asyncProperty(ledger, fc.nat(), fc.nat(), async (records, which, where) => {
        const record = records[which % records.length] ?? '';
        const at = where % (records.length + 1);
        const doubled = records.toSpliced(at, 0, record);
        // If the copy is next to the original, the second of the two is wrong.
        const seq = doubled.findIndex((bytes, index) => bytes !== records[index]) + 1;
        expect((await faultOf(doubled))?.seq).toBe(seq);
      }),
    );
  });

  it('the end of another ledger', async () => {
    await fc.assert(
      fc.asyncProperty(middle, async ([records, index]) => {
        const foreign = chained([...records.keys()].map((n) => evidence(1000 + n)));
        expect(await faultOf([...records.slice(0, index + 1), ...foreign.slice(index + 1)])).toMatchObject({
          seq: index + 2,
          why: 'wrong_prev_hash',
        });
      }),
    );
  });

  it('second evidence of the same run, correctly chained', async () => {
    const records = chained([inventory, evidence(1), evidence(2), evidence(1, 'error'), evidence(3)]);
    expect(await faultOf(records)).toEqual({ seq: 4, through: 4, why: 'second_evidence' });
  });

  it.each([
    ['text', 'not_json', 'rubbish'],
    ['nothing', 'not_json', ''],
    ['null', 'not_json', 'null'],
    ['a number', 'not_json', '1'],
    ['an array', 'not_json', '[]'],
  ])('%s in place of a record: %s', async (_what, why, bytes) => {
    expect(await faultOf([...chained([inventory]), bytes])).toEqual({ seq: 2, through: 2, why });
  });

  it('a record with the right hash and the wrong form', async () => {
    const [first = ''] = chained([inventory]);
    expect(await faultOf([` ${first}`])).toEqual({ seq: 1, through: 1, why: 'not_canonical' });
    const { hash, ...body } = JSON.parse(first);
    expect(await faultOf([JSON.stringify({ hash, ...body })])).toEqual({ seq: 1, through: 1, why: 'not_canonical' });
    const twice = first.replace('{', '{"approved_uses":{},');
    expect(await faultOf([twice])).toEqual({ seq: 1, through: 1, why: 'not_canonical' });
  });

  it('a record with a missing field, an unknown type or an unknown status', async () => {
    const record = { record_type: 'run_evidence', model_id: 'default' };
    expect(await faultOf(chained([prepareRecord(record)]))).toEqual({ seq: 1, through: 1, why: 'wrong_schema' });
    expect(await faultOf(chained([prepareRecord({ ...record, record_type: 'other' })]))).toEqual({
      seq: 1,
      through: 1,
      why: 'wrong_schema',
    });
    const [whole = ''] = chained([evidence(1)]);
    const { hash: _, seq: __, prev_hash: ___, ...body } = JSON.parse(whole);
    expect(await faultOf(chained([prepareRecord({ ...body, status: 'fine' })]))).toEqual({
      seq: 1,
      through: 1,
      why: 'wrong_schema',
    });
    expect(await faultOf(chained([prepareRecord({ ...body, run_id: 'x' })]))).toEqual({
      seq: 1,
      through: 1,
      why: 'wrong_schema',
    });
  });

  it('the first fault only', async () => {
    const records = chained([inventory, evidence(1), evidence(2), evidence(3)]);
    expect(await verifyLedger([...records.slice(0, 2), 'x', 'y'])).toMatchObject({ records: 2, fault: { seq: 3 } });
  });
});

describe('results of an earlier reading', () => {
  it('change nothing about the faults: changed, missing, moved, duplicate, foreign and torn records', async () => {
    const kind = fc.constantFrom<(records: string[], a: number, b: number) => string[]>(
      (records) => records,
      (records, a, b) => records.with(a, records[b] ?? ''),
      (records, a) => records.toSpliced(a, 1),
      (records, a, b) => records.toSpliced(a, 0, records[b] ?? ''),
      (records, a, b) => records.with(a, records[a]?.slice(0, b) ?? ''),
      (records, a) => records.with(a, records[a]?.replace('default', 'other') ?? ''),
      (records, a) => [...records.slice(0, a), ...chained([...records.keys()].map((n) => evidence(1000 + n))).slice(a)],
      (_, a, b) => chained([inventory, evidence(a), evidence(b), evidence(3)]),
    );
    await fc.assert(
      fc.asyncProperty(ledger, kind, fc.nat(), fc.nat(), async (records, tamper, a, b) => {
        const tampered = tamper(records, a % records.length, b % records.length);
        const verifier = new LedgerVerifier();
        for (const text of tampered) {
          const bytes = Buffer.from(text);
          const read = readRecord(bytes);
          verifier.add(bytes, typeof read === 'string' ? undefined : read);
        }
        expect(verifier.report()).toEqual(await verifyLedger(tampered));
      }),
    );
  });
});

/**
 * By itself, a chain proves only that the records that it contains were not changed in between. Someone who can write the whole chain can still cut
 * off its end, or rewrite it from any record on. Only a head that is kept elsewhere (a signed checkpoint, an export) reveals that.
 */
describe('a chain alone cannot find', () => {
  it('a missing end', async () => {
    await fc.assert(
      fc.asyncProperty(middle, async ([records, index]) => {
        const cut = records.slice(0, index + 1);
        const report = await verifyLedger(cut);
        expect(report.fault).toBeNull();
        expect(report).not.toMatchObject({ head: JSON.parse(records.at(-1) ?? '{}').hash });
      }),
    );
  });

  it('a rewrite of all records from one on', async () => {
    await fc.assert(
      fc.asyncProperty(middle, async ([records, index]) => {
        const { hash } = index === 0 ? { hash: GENESIS } : JSON.parse(records[index - 1] ?? '{}');
        const rest = records.slice(index).map((_, n) => evidence(5000 + n, 'denied'));
        const rewritten = [...records.slice(0, index), ...chained(rest, { seq: index, hash })];
        const report = await verifyLedger(rewritten);
        expect(report).toMatchObject({ records: records.length, fault: null });
        expect(report.head).not.toBe(JSON.parse(records.at(-1) ?? '{}').hash);
      }),
    );
  });
});
