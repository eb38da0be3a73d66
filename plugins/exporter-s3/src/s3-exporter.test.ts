import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exporter, ExportRecord } from '@svc/sdk';
import { exporterConformance, fakeClock, fakePluginDeps } from '@svc/sdk/testing';
import { notedExporter } from '@svc/toolkit/testing';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import plugin from './index.ts';
import { checkpointName, parsedName } from './names.ts';
import { Options } from './options.ts';
import { BUCKET, CREDENTIALS, S3Double } from './s3-fixture.ts';

const NEVER = new AbortController().signal;
const NOW = Date.parse('2026-01-05T10:00:00.000Z');

const made = (given: object): Exporter =>
  plugin.create(
    Value.Decode(Options, Value.Default(Options, { bucket: BUCKET, ...CREDENTIALS, ...given })),
    fakePluginDeps({ clock: fakeClock(NOW) }),
  );

describe.each(['json', 'ocsf'] as const)('exporter conformance, %s', (format) => {
  const cases = exporterConformance({
    open: async () => {
      const s3 = await new S3Double().listen();
      // Objects in ocsf have the hash of a record only.
      const bytes = new Map<string, string>();
      const ledgers = () => [...s3.objects.keys()].map((key) => key.split('/records/')[0] ?? '');
      const received = (isOperations: boolean) => {
        const folder = ledgers().find((ledger) => ledger.endsWith('/operations') === isOperations);
        const lines = folder === undefined ? [] : s3.lines(`${folder}/records/`);
        return format === 'json' ? lines : lines.map((line) => bytes.get(JSON.parse(line).metadata.uid) ?? '');
      };
      return {
        make: () => notedExporter(made({ endpoint: s3.origin, operations: true, format, batch: 100 }), bytes),
        received: async () => received(false),
        receivedOperations: async () => received(true),
        refuse: async (refusing) => {
          s3.refusal = refusing ? 503 : null;
        },
        dispose: async () => {
          expect(s3.malformed).toEqual([]);
          await s3.close();
        },
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});

const records = (first: number, last: number): ExportRecord[] =>
  Array.from({ length: last - first + 1 }, (_, index) => {
    const hash = `sha256:${String(first + index).padStart(64, '0')}`;
    return { seq: first + index, hash, bytes: JSON.stringify({ hash, seq: first + index }) };
  });

let s3: S3Double;
beforeEach(async () => {
  s3 = await new S3Double().listen();
});
afterEach(() => s3.close());

async function opened(more: object = {}): Promise<Exporter> {
  const exporter = made({ endpoint: s3.origin, ...more });
  await exporter.open({ ledgerId: 'ledger-1', cursor: 0, signal: NEVER });
  return exporter;
}

describe('an object', () => {
  it('is named by its first and last record and the hash of its content, and is locked', async () => {
    const exporter = await opened({ prefix: 'svc/', object_lock: { mode: 'COMPLIANCE', days: 10 } });
    expect(await exporter.deliver(records(1, 3), NEVER)).toEqual({ through: 3 });
    const [[key = '', object]] = [...s3.objects] as [[string, unknown]];
    expect(key).toMatch(/^svc\/ledger-1\/records\/0{15}1-0{15}3-[0-9a-f]{64}\.jsonl$/);
    expect(parsedName(key)).toMatchObject({ first: 1, last: 3 });
    expect(object).toMatchObject({ mode: 'COMPLIANCE', until: '2026-01-15T10:00:00.000Z' });
    await exporter.close();
  });

  it('is written for a checkpoint, once', async () => {
    const exporter = await opened();
    const note = 'example.org/ledger\n12\nAAAA\n\n\u2014 example.org/ledger AAAA\n';
    await exporter.checkpoint?.(note, NEVER);
    await exporter.checkpoint?.(note, NEVER);
    expect([...s3.objects]).toEqual([
      [`ledger-1/checkpoints/${checkpointName(note)}`, expect.objectContaining({ content: note })],
    ]);
    expect([checkpointName(note).slice(0, 17), s3.written.length]).toEqual(['0000000000000012-', 1]);
  });
});

describe('a repeated delivery', () => {
  it('writes no second object, even if there are more records by now', async () => {
    s3.losesResponses = true;
    const exporter = await opened();
    await expect(exporter.deliver(records(1, 3), NEVER)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET', through: undefined });
    await exporter.close();
    s3.losesResponses = false;
    const again = await opened();
    expect(await again.deliver(records(1, 5), NEVER)).toEqual({ through: 3 });
    expect(await again.deliver(records(4, 5), NEVER)).toEqual({ through: 5 });
    expect(s3.lines('ledger-1/records/')).toEqual(records(1, 5).map(({ bytes }) => bytes));
    expect(s3.written.length).toBe(2);
  });

  it('of other records is written beside them', async () => {
    await (await opened()).deliver(records(1, 3), NEVER);
    const others = records(1, 3).map((record) => ({ ...record, bytes: `${record.bytes} ` }));
    expect(await (await opened()).deliver(others, NEVER)).toEqual({ through: 3 });
    expect(s3.objects.size).toBe(2);
  });
});

it.each([403, 409, 500, 503])('fails with the status %i, without text of the service or secrets', async (status) => {
  s3.refusal = status;
  const error = await (await opened()).deliver(records(1, 1), NEVER).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: `HTTP_${status}` });
  const shown = JSON.stringify([error, String(error)]);
  for (const hidden of ['SINK-TEXT', CREDENTIALS.secret_access_key]) expect(shown).not.toContain(hidden);
});

it('fails for a wrong secret', async () => {
  const failed = (await opened({ secret_access_key: 'another' })).deliver(records(1, 1), NEVER);
  await expect(failed).rejects.toMatchObject({ code: 'HTTP_403_SignatureDoesNotMatch' });
  expect(s3.malformed).toEqual(['signature']);
});

it.each([
  ['svc-evidence', 'svc-evidence.s3.eu-central-1.amazonaws.com:443'],
  ['svc.evidence', 's3.eu-central-1.amazonaws.com:443'],
])('goes to the address of AWS for the bucket %s', async (bucket, address) => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer().on('connect', ({ url }, socket) => {
    asked.push(url);
    socket.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const exporter = made({ bucket, region: 'eu-central-1', proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  await exporter.open({ ledgerId: 'ledger-1', cursor: 0, signal: NEVER });
  await expect(exporter.deliver(records(1, 1), NEVER)).rejects.toMatchObject({ name: 'NotAccepted' });
  expect(asked).toEqual([address]);
  await exporter.close();
  await new Promise((resolve) => proxy.close(resolve));
});

it.each([
  { endpoint: 'http://s3.example?x=1' },
  { endpoint: 'http://user:secret@s3.example' },
  { secret_access_key: 'with a secret\n' },
])('refuses options without showing them: %j', (given) => {
  expect(() => made(given)).toThrow(/^(?:endpoint|secret_access_key): (?!.*secret[@\n])/);
});

it.each([{ prefix: 'no-slash' }, { prefix: '/a/' }, { bucket: 'A' }, { object_lock: { mode: 'NONE', days: 1 } }])(
  'refuses options by their schema: %j',
  (wrong) => {
    expect(Value.Check(Options, Value.Default(Options, { bucket: BUCKET, ...CREDENTIALS, ...wrong }))).toBe(false);
  },
);
