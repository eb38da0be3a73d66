import type { ExportRecord } from '@svc/sdk';
import { fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Collector, type Manner } from './collector-fixture.ts';
import plugin from './index.ts';
import { escaped, hostnameOf, timestamp } from './message.ts';
import { Options } from './options.ts';
import { arrivalMs } from './server.ts';

const NEVER = new AbortController().signal;
const hash = (seq: number) => `sha256:${String(seq).padStart(64, '0')}`;
const recordOf = (seq: number, fields: object): ExportRecord => ({
  seq,
  hash: hash(seq),
  bytes: JSON.stringify({ ...fields, hash: hash(seq), prev_hash: 'genesis', seq }),
});
const run = (seq: number, status: string) =>
  recordOf(seq, { record_type: 'run_evidence', status, completed_at: '2026-01-05T09:00:00.900Z', events: [], model_id: 'é😀' });

let collector: Collector;
beforeEach(async () => {
  collector = await new Collector().listen();
});
afterEach(async () => {
  expect(collector.malformed).toEqual([]);
  await collector.close();
});

async function opened(more: object = {}, ledgerId = 'svc-ledger-1') {
  const given = { host: '127.0.0.1', port: collector.port, transport: 'tcp', timeout_ms: 2000, ...more };
  const options = Value.Decode(Options, Value.Default(Options, given));
  const exporter = plugin.create(options, fakePluginDeps());
  await exporter.open({ ledgerId, cursor: 0, signal: NEVER });
  return exporter;
}

describe('a message', () => {
  it.each([
    ['completed', 13 * 8 + 6],
    ['blocked', 13 * 8 + 4],
    ['denied', 13 * 8 + 4],
    ['error', 13 * 8 + 3],
  ])('of a run with the status %s has the priority %i', async (status, priority) => {
    await (await opened()).deliver([run(1, status)], NEVER);
    const { app_name, timestamp: at, message_id, ...rest } = collector.received[0] ?? {};
    expect([app_name, at, message_id, rest]).toMatchObject(['svc', '2026-01-05T09:00:00.900Z', `run.${status}`, { priority }]);
  });

  it('has the record byte for byte, its position and its hash', async () => {
    const record = run(7, 'completed');
    await (await opened({ facility: 16, hostname: 'gw-1', sd_id: 'svc@99999.1' }, 'a "b" [c] \\d')).deliver([record], NEVER);
    expect(collector.received).toEqual([
      expect.objectContaining({
        ...{ priority: 16 * 8 + 6, hostname: 'gw-1', sd_id: 'svc@99999.1', text: record.bytes, bom: true },
        parameters: { ledger: 'a "b" [c] \\d', seq: '7', hash: record.hash },
      }),
    ]);
  });

  it('has no byte order mark if the option says so', async () => {
    await (await opened({ bom: false })).deliver([run(1, 'completed')], NEVER);
    expect(collector.received[0]?.bom).toBe(false);
  });

  it('escapes values, shortens fractions and cleans names', () => {
    expect(escaped('a"b\\c]d[e')).toBe('a\\"b\\\\c\\]d[e');
    expect(timestamp('2026-01-05T09:00:00.123456789+02:00')).toBe('2026-01-05T09:00:00.123456+02:00');
    expect(timestamp('2026-01-05T09:00:00Z')).toBe('2026-01-05T09:00:00Z');
    expect(['yesterday', '2026-01-05 09:00:00Z', null].map(timestamp)).toEqual(['-', '-', '-']);
    expect(['häst 1', '   ', 'x'.repeat(300)].map(hostnameOf)).toEqual(['hst1', '-', 'x'.repeat(255)]);
  });
});

describe('a delivery', () => {
  it.each<[Manner, RegExp]>([
    ['closes', /^(?:CLOSED_EARLY|CONNECTION_LOST|ECONNRESET|EPIPE)$/],
    ['resets', /^(?:ECONNRESET|EPIPE)$/],
    ['keeps', /^TIMEOUT$/],
  ])('fails if the server %s the connection', async (manner, code) => {
    collector.manner = manner;
    const exporter = await opened({ timeout_ms: 300 });
    const failed = exporter.deliver([run(1, 'completed')], NEVER);
    await expect(failed).rejects.toMatchObject({ name: 'NotAccepted', code: expect.stringMatching(code) });
  });

  it('fails if nothing listens, and sends everything in parts when it listens again', async () => {
    const exporter = await opened();
    const records = Array.from({ length: 300 }, (_, index) => run(index + 1, 'completed'));
    await collector.close();
    await expect(exporter.deliver(records, NEVER)).rejects.toMatchObject({ code: 'ECONNREFUSED', through: undefined });
    collector = await new Collector().listen();
    const again = await opened();
    expect(await again.deliver(records, NEVER)).toEqual({ through: 300 });
    expect(collector.connections).toBe(2);
  });

  it('goes to an address in brackets', async () => {
    const exporter = await opened({ host: '[127.0.0.1]' });
    expect(await exporter.deliver([run(1, 'completed')], NEVER)).toEqual({ through: 1 });
  });

  it('allows for the round trips and the time that messages need to arrive', () => {
    const sent = { connect_ms: 20, write_ms: 0 };
    expect([1, 14_600, 43_800, 1_000_000].map((bytes) => arrivalMs('tcp', { ...sent, bytes }))).toEqual([21, 21, 41, 141]);
    expect([1, 43_800, 1_000_000].map((bytes) => arrivalMs('tls', { ...sent, bytes }))).toEqual([21, 21, 71]);
    expect(arrivalMs('tcp', { ...sent, bytes: 1, write_ms: 500 })).toBe(521);
  });

  it('leaves no connection open', async () => {
    const exporter = await opened();
    await exporter.deliver([run(1, 'completed')], NEVER);
    await exporter.deliver([run(2, 'completed')], NEVER);
    expect([collector.connections, collector.received.length]).toEqual([2, 2]);
  });
});

describe('options', () => {
  it.each([{ sd_id: 'svc' }, { sd_id: 'a b@1' }, { sd_id: 'a"@1' }, { facility: 24 }, { hostname: 'a b' }, { format: 'xml' }])(
    'are refused: %j',
    (wrong) => {
      expect(Value.Check(Options, Value.Default(Options, { host: 'h', ...wrong }))).toBe(false);
    },
  );

  it('need a key with a certificate', () => {
    const options = Value.Decode(Options, Value.Default(Options, { host: 'h', client_key: './none.pem' }));
    expect(() => plugin.create(options, fakePluginDeps())).toThrow(/client_certificate/);
  });
});
