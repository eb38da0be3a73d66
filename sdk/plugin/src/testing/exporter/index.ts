import type { Exporter, ExportRecord } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { explained } from '../cases/explained.ts';
import { placedAfter } from '../store/chain.ts';

/** A destination for an exporter under test. */
export interface ExporterFixture {
  /** Creates a new instance for the same destination, as after a restart. */
  make(): Exporter;
  /**
   * The bytes of the records at the destination, in the destination's order, without duplicates. If it keeps copies, they are identified by the
   * record's hash.
   */
  received(): Promise<readonly string[]>;
  /** As `received`, for the operations log. Required for an exporter that has `operations`. */
  receivedOperations?(): Promise<readonly string[]>;
  /** With true, makes the destination refuse everything until it is called with false. */
  refuse(refusing: boolean): Promise<void>;
  /** Removes the destination. Called once, whatever happened before. */
  dispose(): Promise<void>;
}

export interface ExporterConformanceOptions {
  /** Called once per case. */
  open(): Promise<ExporterFixture>;
}

type Run = (fixture: ExporterFixture) => Promise<void>;

const NEVER = new AbortController().signal;
const LEDGER = 'svc-ledger-00000000-0000-4000-8000-000000000000';

/** The first records of a ledger. */
function ledgerOf(count: number, text = 'é😀 "quoted" \\ '): ExportRecord[] {
  const records: ExportRecord[] = [];
  for (let n = 0; n < count; n += 1) {
    const { seq, hash, bytes } = placedAfter(records.at(-1) ?? null, { fields: { n, text } });
    records.push({ seq, hash, bytes });
  }
  return records;
}

async function opened({ make }: ExporterFixture, cursor: number): Promise<Exporter> {
  const exporter = make();
  await exporter.open({ ledgerId: LEDGER, cursor, signal: NEVER });
  return exporter;
}

const bytesOf = (records: readonly ExportRecord[]): string[] => records.map(({ bytes }) => bytes);

/** Delivers a batch until all of it is accepted, as the gateway does. */
async function deliverAll(exporter: Exporter, records: readonly ExportRecord[]): Promise<void> {
  for (let left = records; left.length > 0; ) {
    const { through } = await exporter.deliver(left, NEVER);
    const [first, last] = [left[0]?.seq ?? 0, left.at(-1)?.seq ?? 0];
    assert.ok(through >= first && through <= last, `through from ${first} to ${last}`, through);
    left = left.filter(({ seq }) => seq > through);
  }
}

const CASES: Readonly<Record<string, Run>> = {
  'delivers records in order, byte for byte': async (fixture) => {
    const records = ledgerOf(300);
    const exporter = await opened(fixture, 0);
    await deliverAll(exporter, records.slice(0, 1));
    await deliverAll(exporter, records.slice(1, 257));
    await deliverAll(exporter, records.slice(257));
    await exporter.close();
    assert.deepEqual(await fixture.received(), bytesOf(records));
  },

  'delivers a record of one megabyte': async (fixture) => {
    const records = ledgerOf(2, 'x'.repeat(1_000_000));
    const exporter = await opened(fixture, 0);
    await deliverAll(exporter, records);
    await exporter.close();
    assert.deepEqual(await fixture.received(), bytesOf(records));
  },

  'continues after a restart': async (fixture) => {
    const records = ledgerOf(20);
    for (const [begin, end] of [
      [0, 7],
      [7, 8],
      [8, 20],
    ] as const) {
      const exporter = await opened(fixture, begin);
      await deliverAll(exporter, records.slice(begin, end));
      await exporter.close();
    }
    assert.deepEqual(await fixture.received(), bytesOf(records));
  },

  'does not duplicate records after a crash before the cursor was saved': async (fixture) => {
    const records = ledgerOf(10);
    const before = await opened(fixture, 0);
    await deliverAll(before, records.slice(0, 6));
    await before.close();
    const after = await opened(fixture, 3);
    await deliverAll(after, records.slice(3));
    await after.close();
    assert.deepEqual(await fixture.received(), bytesOf(records));
  },

  'throws when a delivery is refused, then delivers everything in order': async (fixture) => {
    const records = ledgerOf(10);
    const exporter = await opened(fixture, 0);
    await deliverAll(exporter, records.slice(0, 4));
    await fixture.refuse(true);
    await assert.rejects(exporter.deliver(records.slice(4), NEVER));
    await exporter.close();
    await fixture.refuse(false);
    const taken = (await fixture.received()).length;
    assert.atLeast(taken, 4, 'records that arrived');
    const again = await opened(fixture, 4);
    await deliverAll(again, records.slice(4));
    await again.close();
    assert.deepEqual(await fixture.received(), bytesOf(records));
  },

  'rejects a delivery whose signal is aborted': async (fixture) => {
    const exporter = await opened(fixture, 0);
    const off = new AbortController();
    off.abort();
    await assert.rejects(exporter.deliver(ledgerOf(3), off.signal));
    await exporter.close();
  },

  'accepts checkpoints between records': async (fixture) => {
    const records = ledgerOf(4);
    const exporter = await opened(fixture, 0);
    await deliverAll(exporter, records.slice(0, 2));
    await exporter.checkpoint?.('example.org/ledger\n2\nAAAA\n\n\u2014 example.org/ledger AAAA\n', NEVER);
    await deliverAll(exporter, records.slice(2));
    await exporter.close();
    assert.deepEqual(await fixture.received(), bytesOf(records));
  },

  'keeps the operations log apart from the ledger, each in order': async (fixture) => {
    const exporter = await opened(fixture, 0);
    const { operations } = exporter;
    if (operations !== undefined) {
      const [records, changes] = [ledgerOf(5), ledgerOf(7, 'an operation')];
      await operations.open({ ledgerId: `${LEDGER}/operations`, cursor: 0, signal: NEVER });
      await deliverAll(operations, changes.slice(0, 3));
      await deliverAll(exporter, records);
      await deliverAll(operations, changes.slice(3));
      await operations.close();
      assert.deepEqual(await fixture.received(), bytesOf(records));
      assert.deepEqual(await fixture.receivedOperations?.(), bytesOf(changes));
    }
    await exporter.close();
  },

  'can be closed without being opened, and closed twice': async (fixture) => {
    const exporter = fixture.make();
    await exporter.close();
    await exporter.close();
  },
};

/** Checks for every exporter. */
export function exporterConformance({ open }: ExporterConformanceOptions): ConformanceCase[] {
  return explained(
    Object.entries(CASES).map(([name, run]) => ({
      name,
      run: async () => {
        const fixture = await open();
        try {
          await run(fixture);
        } finally {
          await fixture.dispose();
        }
      },
    })),
  );
}
