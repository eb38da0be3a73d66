import type { Exporter, ExportRecord, Logger } from '@svc/sdk';
import { exporterConformance, fakePluginDeps } from '@svc/sdk/testing';
import { notedExporter } from '@svc/toolkit/testing';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HecDouble, type HecEvent, TOKEN } from './hec-fixture.ts';
import plugin from './index.ts';
import { Options } from './options.ts';

const NEVER = new AbortController().signal;

const made = (given: object, deps = {}): Exporter =>
  plugin.create(Value.Decode(Options, Value.Default(Options, { token: TOKEN, ...given })), fakePluginDeps(deps));

describe.each([
  ['without acknowledgement', null, 'json'],
  ['with acknowledgement', 1, 'json'],
  ['as OCSF', null, 'ocsf'],
  ['as CEF', null, 'cef'],
] as const)('exporter conformance, %s', (_, acks, format) => {
  const cases = exporterConformance({
    open: async () => {
      const hec = await new HecDouble().listen();
      hec.acks = acks;
      // Events in cef and ocsf have the hash of a record only.
      const bytes = new Map<string, string>();
      const received = (isWanted: (one: HecEvent) => boolean) =>
        hec.once(isWanted).map(({ text, fields: { hash } }) => (format === 'json' ? text : bytes.get(hash)) ?? '');
      const isOperation = ({ fields: { ledger_id } }: HecEvent) => ledger_id.endsWith('/operations');
      return {
        make: () => notedExporter(made({ url: hec.origin, operations: true, format, require_ack: acks !== null }), bytes),
        received: async () => received((one) => !isOperation(one)),
        receivedOperations: async () => received(isOperation),
        refuse: async (refusing) => {
          hec.refusal = refusing ? [503, 9] : null;
        },
        dispose: async () => {
          expect(hec.malformed).toEqual([]);
          await hec.close();
        },
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});

const record = (seq: number, fields: object = {}): ExportRecord => {
  const hash = `sha256:${String(seq).padStart(64, '0')}`;
  const bytes = JSON.stringify({ completed_at: '2026-01-05T09:00:00.900Z', hash, record_type: 'run_evidence', seq, ...fields });
  return { seq, hash, bytes };
};

let hec: HecDouble;
beforeEach(async () => {
  hec = await new HecDouble().listen();
});
afterEach(() => hec.close());

async function opened(more: object = {}, deps = {}): Promise<Exporter> {
  const exporter = made({ url: hec.origin, ...more }, deps);
  await exporter.open({ ledgerId: 'ledger-1', cursor: 0, signal: NEVER });
  return exporter;
}

describe('an event', () => {
  it('has the record, its position, and the names of the options', async () => {
    const exporter = await opened({ index: 'ai', sourcetype: 'gateway', source: 'here', host: 'gw-1' });
    await exporter.deliver([record(3, { status: 'blocked' })], NEVER);
    expect(hec.events).toEqual([
      expect.objectContaining({
        ...{ index: 'ai', sourcetype: 'gateway', source: 'here', host: 'gw-1', time: 1_767_603_600.9 },
        fields: { seq: 3, hash: record(3).hash, ledger_id: 'ledger-1', type: 'run.blocked' },
        text: record(3, { status: 'blocked' }).bytes,
      }),
    ]);
    await exporter.close();
  });

  it('has the source type of its format by default', async () => {
    await (await opened({ format: 'ocsf' })).deliver([record(1)], NEVER);
    expect(hec.events[0]).toMatchObject({ sourcetype: 'svc:ocsf', source: 'ledger-1', event: { class_uid: 6003 } });
  });
});

describe('a delivery', () => {
  it.each([
    [[403, 4], 'HTTP_403_HEC_4', undefined],
    [[400, 7], 'HTTP_400_HEC_7', undefined],
    [[503, 9, { 'retry-after': '7' }], 'HTTP_503_HEC_9', 7000],
    [[429, 26, { 'retry-after': '2' }], 'HTTP_429_HEC_26', 2000],
    [[500, 8], 'HTTP_500_HEC_8', undefined],
    [[301, 999], 'HTTP_301', undefined],
  ] as const)('fails with the code of the response: %j', async (refusal, code, retry_after_ms) => {
    hec.refusal = refusal;
    const failed = (await opened()).deliver([record(1)], NEVER);
    await expect(failed).rejects.toMatchObject({ code, retry_after_ms, through: undefined });
  });

  it('reports what was accepted before the failure', async () => {
    hec.capacity = 3;
    const failing = (await opened({ batch: 2 })).deliver(
      [1, 2, 3, 4, 5].map((seq) => record(seq)),
      NEVER,
    );
    await expect(failing).rejects.toMatchObject({ code: 'HTTP_503_HEC_9', through: 2 });
  });

  it.each(['<html>SINK-TEXT</html>', '', '{"text":"HEC is healthy","code":17}', '[]'])(
    'fails if a 2xx response is not the success of a collector: %s',
    async (page) => {
      hec.page = page;
      const failed = (await opened()).deliver([record(1)], NEVER);
      await expect(failed).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    },
  );

  it('repeats only the record that is never accepted', async () => {
    const exporter = await opened();
    const records = [1, 2, 3, 4].map((seq) => record(seq));
    hec.poison = record(3).hash;
    for (const through of [undefined, 1, 2, undefined]) {
      const failed = exporter.deliver(records, NEVER);
      await expect(failed).rejects.toMatchObject({ code: 'HTTP_400_HEC_6', through });
      records.splice(0, (through ?? 0) - (records[0]?.seq ?? 1) + 1);
    }
    expect(hec.events.map(({ fields }) => fields.seq)).toEqual([1, 2]);
  });

  it('waits until the indexers have acknowledged', async () => {
    hec.acks = 2;
    await (await opened()).deliver([record(1)], NEVER);
    expect([hec.requests, hec.channels.size]).toEqual([4, 1]);
  });

  it('fails if they do not in time, and without acknowledgement if that is required', async () => {
    hec.acks = Number.POSITIVE_INFINITY;
    const failed = (await opened({ ack_timeout_ms: 20 })).deliver([record(1)], NEVER);
    await expect(failed).rejects.toMatchObject({ code: 'ACK_TIMEOUT' });
    hec.acks = null;
    const unacknowledged = (await opened({ require_ack: true })).deliver([record(1)], NEVER);
    await expect(unacknowledged).rejects.toMatchObject({ code: 'NO_ACKNOWLEDGEMENT' });
  });

  it('never shows the token or the text of the collector', async () => {
    const lines: unknown[] = [];
    const write = (...said: unknown[]) => void lines.push(said);
    const logger: Logger = { debug: write, info: write, warn: write, error: write };
    hec.refusal = [403, 4];
    const error = await (await opened({}, { logger })).deliver([record(1)], NEVER).catch((thrown: unknown) => thrown);
    const shown = JSON.stringify([lines, error, String(error), (error as Error).stack]);
    expect(shown).not.toMatch(new RegExp(`${TOKEN}|SINK-TEXT`));
  });
});

it.each([
  { url: 'ftp://splunk.example' },
  { url: 'https://user:pass@splunk.example' },
  { url: 'https://splunk.example/?a=b' },
  { url: 'https://splunk.example', token: 'line\n' },
])('refuses options without showing them: %j', (given) => {
  expect(() => made(given)).toThrow(/^(?:url|token): (?!.*(?:user:|line\n))/);
});
