import { type Checkpoint, type LedgerReport, LedgerVerifier } from '@svc/ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Body, type Chained, chain, evidence, inventory } from '../harness/evidence.ts';
import { LONG, SEED } from './form.ts';

/** Each of many kinds of tampering has its share, at any place of several ledgers. */
const MUTATIONS = LONG ? 200_000 : 10_000;

/** A ledger, and the checkpoint over all of it that an auditor kept. */
interface Kept {
  readonly bodies: readonly Body[];
  readonly records: readonly Chained[];
  readonly checkpoint: Checkpoint;
}

/** What somebody made of a ledger, and what must be seen in it. */
interface Tampered {
  readonly records: readonly Buffer[];
  /** The seq that the records themselves show to be wrong; null: they show nothing, since all of it was computed anew or it only ends early. */
  readonly alone: number | null;
}

const bytesOf = (records: readonly Chained[]): Buffer[] => records.map(({ bytes }) => Buffer.from(bytes));

function verify(records: readonly Buffer[], checkpoints: readonly Checkpoint[]): LedgerReport {
  const verifier = new LedgerVerifier(checkpoints);
  records.every((record) => verifier.add(record));
  return verifier.report();
}

const ledgers: readonly Kept[] = [2, 3, 7, 16, 21].map((size, which) => {
  const bodies = [inventory(which), ...Array.from({ length: size - 1 }, (_, n) => evidence(1000 * which + n))];
  const records = chain(bodies);
  const { root } = verify(bytesOf(records), []);
  return { bodies, records, checkpoint: { origin: 'example.org/gateway', size, root } };
});

/** The records before `index` as they were, the others computed anew from these bodies. */
function rechained({ records }: Kept, index: number, rest: readonly Body[]): Buffer[] {
  const head = { seq: index, hash: records[index - 1]?.hash ?? 'genesis' };
  return bytesOf([...records.slice(0, index), ...chain(rest, head)]);
}

const forged = (body: Body, how: number): Body => {
  const changes: readonly Body[] = [
    { principal_id: 'mallory' },
    { status: 'denied' },
    { events: [] },
    { model_version: 'other' },
    { completed_at: '2030-01-01T00:00:00.000Z' },
  ];
  return body.record_type === 'run_evidence'
    ? { ...body, ...changes[how % changes.length] }
    : { ...body, model_owner: 'mallory' };
};

/** The kinds of tampering. `a`, `b` and `c` are any whole numbers. */
const KINDS: Readonly<Record<string, (kept: Kept, a: number, b: number, c: number) => Tampered>> = {
  'a byte of a record is changed': ({ records }, a, b, c) => {
    const index = a % records.length;
    const changed = bytesOf(records);
    const bytes = changed[index] ?? Buffer.alloc(0);
    bytes[b % bytes.length] = (bytes[b % bytes.length] ?? 0) ^ (1 + (c % 255));
    return { records: changed, alone: index + 1 };
  },
  'a record is changed and hashed anew': (kept, a, b) => {
    const index = a % kept.records.length;
    const [record] = rechained(kept, index, [forged(kept.bodies[index] ?? {}, b)]).slice(index);
    const isLast = index === kept.records.length - 1;
    return { records: bytesOf(kept.records).with(index, record ?? Buffer.alloc(0)), alone: isLast ? null : index + 2 };
  },
  'a record is taken out': ({ records }, a) => {
    const index = a % records.length;
    return { records: bytesOf(records.toSpliced(index, 1)), alone: index === records.length - 1 ? null : index + 1 };
  },
  'two records change places': ({ records }, a, b) => {
    const first = a % (records.length - 1);
    const second = first + 1 + (b % (records.length - 1 - first));
    const bytes = bytesOf(records);
    const [one = Buffer.alloc(0), other = Buffer.alloc(0)] = [bytes[first], bytes[second]];
    return { records: bytes.with(first, other).with(second, one), alone: first + 1 };
  },
  'a record stands twice': ({ records }, a, b) => {
    const index = a % records.length;
    const at = b % (records.length + 1);
    // Beside itself, the second of the two is the wrong one.
    return {
      records: bytesOf(records.toSpliced(at, 0, ...records.slice(index, index + 1))),
      alone: at === index ? at + 2 : at + 1,
    };
  },
  'the end is cut off': ({ records }, a) => ({ records: bytesOf(records.slice(0, a % records.length)), alone: null }),
  'a line is torn': ({ records }, a, b) => {
    const bytes = bytesOf(records);
    const index = a % bytes.length;
    const line = bytes[index] ?? Buffer.alloc(0);
    return { records: [...bytes.slice(0, index), line.subarray(0, b % line.length)], alone: index + 1 };
  },
  'a record is changed and all after it computed anew': (kept, a, b) => {
    const index = a % kept.records.length;
    const [body = {}, ...rest] = kept.bodies.slice(index);
    return { records: rechained(kept, index, [forged(body, b), ...rest]), alone: null };
  },
  'a record is taken out and all after it computed anew': (kept, a) => {
    const index = a % kept.records.length;
    return { records: rechained(kept, index, kept.bodies.slice(index + 1)), alone: null };
  },
  'a record is put in and all after it computed anew': (kept, a, b) => {
    const index = a % kept.records.length;
    return { records: rechained(kept, index, [evidence(500_000 + b), ...kept.bodies.slice(index)]), alone: null };
  },
  'two records change places and all is computed anew': (kept, a) => {
    const index = a % (kept.records.length - 1);
    const [one = {}, other = {}, ...rest] = kept.bodies.slice(index);
    return { records: rechained(kept, index, [other, one, ...rest]), alone: null };
  },
  'an old copy is brought back and written on': (kept, a, b, c) => {
    const index = a % kept.records.length;
    const more = Array.from({ length: 1 + (c % 25) }, (_, n) => evidence(600_000 + (b % 1000) + n));
    return { records: rechained(kept, index, more), alone: null };
  },
  'a fork of the same length': (kept, a, b) => {
    const index = a % kept.records.length;
    const others = kept.bodies.slice(index).map((_, n) => evidence(700_000 + (b % 1000) + n));
    return { records: rechained(kept, index, others), alone: null };
  },
  'evidence of a run is written again, and all after it computed anew': (kept, a, b) => {
    const again = 1 + (a % (kept.records.length - 1));
    const at = again + 1 + (b % (kept.records.length - again));
    const rest = [forged(kept.bodies[again] ?? {}, b), ...kept.bodies.slice(at)];
    return { records: rechained(kept, at, rest), alone: at + 1 };
  },
};

const tampering = fc.tuple(fc.constantFrom(...ledgers), fc.constantFrom(...Object.keys(KINDS)), fc.nat(), fc.nat(), fc.nat());

describe(`${MUTATIONS} ways to tamper with a ledger (SVC_FAULT_SEED=${SEED})`, () => {
  it(
    'are all detected with one checkpoint, at their seq if the records show it; without one, as far as a chain can',
    () => {
      const met = new Set<string>();
      fc.assert(
        fc.property(tampering, ([kept, kind, a, b, c]) => {
          const { records, alone } = KINDS[kind]?.(kept, a, b, c) ?? { records: [], alone: null };
          met.add(kind);
          const { size } = kept.checkpoint;
          const self = verify(records, []);
          const anchored = verify(records, [kept.checkpoint]);
          expect(self.fault?.seq ?? null).toBe(alone);
          expect(self.anchored).toBe(0);
          // What is after the checkpoint's size is not reached where its root is wrong already.
          if (alone !== null && alone <= size) expect(anchored.fault).toEqual(self.fault);
          else if (records.length < size)
            expect(anchored.fault).toEqual({ why: 'cut_off', seq: records.length + 1, through: records.length + 1 });
          else if (alone === null) expect(anchored.fault).toEqual({ why: 'not_as_signed', seq: 1, through: size });
          // A record that was put behind a ledger that is as it was signed.
          else expect(anchored).toMatchObject({ anchored: size, fault: self.fault });
        }),
        { numRuns: MUTATIONS, seed: SEED },
      );
      expect([...met].sort()).toEqual(Object.keys(KINDS).sort());
    },
    MUTATIONS * 10,
  );

  it('whereas an unchanged ledger is valid and anchored', () => {
    for (const { records, checkpoint } of ledgers)
      expect(verify(bytesOf(records), [checkpoint])).toMatchObject({
        records: checkpoint.size,
        anchored: checkpoint.size,
        fault: null,
      });
  });
});
