import type { ServerResponse } from 'node:http';
import type { ExportRecord } from '@svc/sdk';
import { fakeClock, fakePluginDeps } from '@svc/sdk/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import webhook from './index.ts';
import type { Options } from './options.ts';
import { type Manner, SECRET, Sink, takes } from './sink-fixture.ts';
import { WebhookExporter } from './webhook-exporter.ts';

const MARKER = 'RECEIVER-TEXT-MARKER';
const LEDGER = 'svc-ledger-1';
const NEVER = new AbortController().signal;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;

let sink: Sink;
const open: WebhookExporter[] = [];
beforeEach(async () => {
  sink = await new Sink().listen();
});
afterEach(async () => {
  for (const exporter of open.splice(0)) await exporter.close();
  await sink.close();
});

async function opened(options: Partial<Options> = {}, clock = fakeClock(Date.now())): Promise<WebhookExporter> {
  const all = { url: sink.url, secret: SECRET, allow_private: true, timeout_ms: 10_000, batch: 1, operations: false, ...options };
  const exporter = new WebhookExporter(all, fakePluginDeps({ clock }));
  open.push(exporter);
  await exporter.open({ ledgerId: LEDGER });
  return exporter;
}

function recordsFrom(first: number, count: number, text = ''): ExportRecord[] {
  return Array.from({ length: count }, (_, i) => {
    const seq = first + i;
    const hash = `sha256:${String(seq).padStart(64, '0')}`;
    return { seq, hash, bytes: JSON.stringify({ hash, seq, text }) };
  });
}

const answers =
  (answer: (response: ServerResponse) => unknown): Manner =>
  (response) => {
    answer(response);
    return false;
  };

describe('a request', () => {
  it('contains one record as it was sealed, and its id is the hash', async () => {
    const exporter = await opened();
    const [record] = recordsFrom(1, 1, 'é😀');
    if (record === undefined) throw new Error('no record');
    await exporter.deliver([record], NEVER);
    const body = `{"type":"record","ledger_id":"${LEDGER}","data":${record.bytes}}`;
    expect(sink.asked.map(({ id, body: sent }) => [id, sent])).toEqual([[record.hash, body]]);
  });

  it("contains several records if allowed, and its id is the last one's hash", async () => {
    const exporter = await opened({ batch: 3 });
    const records = recordsFrom(1, 5);
    expect(await exporter.deliver(records, NEVER)).toEqual({ through: 5 });
    expect(sink.asked.map(({ id, type, seq }) => [id, type, seq])).toEqual([
      [records[2]?.hash, 'records', 1],
      [records[4]?.hash, 'records', 4],
    ]);
    expect(sink.kept).toEqual(records.map(({ bytes }) => bytes));
  });

  it('contains about a megabyte at most, unless one record is larger', async () => {
    const exporter = await opened({ batch: 256 });
    await exporter.deliver([...recordsFrom(1, 4, 'x'.repeat(400_000)), ...recordsFrom(5, 1, 'x'.repeat(1_500_000))], NEVER);
    expect(sink.asked.map(({ seq }) => seq)).toEqual([1, 3, 5]);
  });

  it('contains a checkpoint, and has the same id each time', async () => {
    const exporter = await opened();
    const note = 'example.org\n3\nAAAA\n\n\u2014 example.org BBBB\n';
    await exporter.checkpoint(note, NEVER);
    await exporter.checkpoint(note, NEVER);
    expect(sink.notes).toEqual([note, note]);
    const [first, second] = sink.asked;
    expect(first?.body).toBe(`{"type":"checkpoint","ledger_id":"${LEDGER}","data":${JSON.stringify({ note })}}`);
    expect(second?.id).toBe(first?.id);
  });

  it('can also be verified with the previous secret', async () => {
    const exporter = await opened({ secret: OTHER_SECRET, previous_secret: SECRET });
    await exporter.deliver(recordsFrom(1, 1), NEVER);
    expect(sink.kept).toHaveLength(1);
  });
});

describe('is not accepted, and the error has only the reason:', () => {
  it.each<[string, Manner, string]>([
    ['500', answers((response) => response.writeHead(500).end(MARKER)), 'HTTP_500'],
    ['400', answers((response) => response.writeHead(400).end(MARKER)), 'HTTP_400'],
    ['a redirect', answers((response) => response.writeHead(301, { location: sink.url }).end()), 'HTTP_301'],
    [
      'a redirect that keeps the method',
      answers((response) => response.writeHead(308, { location: sink.url }).end()),
      'HTTP_308',
    ],
    ['no answer', answers((response) => response.destroy()), 'UND_ERR_SOCKET'],
    [
      'an answer that breaks off',
      answers((response) => response.writeHead(200, { 'content-length': 9 }).write(MARKER.slice(0, 3), () => response.destroy())),
      'UND_ERR_SOCKET',
    ],
    ['an answer without end', answers((response) => response.end('x'.repeat(1_100_000))), 'UND_ERR_RES_EXCEEDED_MAX_SIZE'],
  ])('%s', async (_, manner, code) => {
    sink.manner = manner;
    const exporter = await opened();
    const failure = await exporter.deliver(recordsFrom(1, 3), NEVER).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, through: undefined, retry_after_ms: undefined });
    expect(String(failure)).not.toContain(MARKER);
    expect(sink.asked).toHaveLength(1);
  });

  it('no server listens', async () => {
    const exporter = await opened();
    await sink.close();
    await expect(exporter.deliver(recordsFrom(1, 1), NEVER)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await sink.listen();
  });

  it.each<[string, Manner]>([
    ['hangs', () => false],
    ['drips', answers((response) => response.writeHead(200).write('x'))],
  ])('the receiver %s', async (_, manner) => {
    sink.manner = manner;
    const exporter = await opened({ timeout_ms: 100 });
    await expect(exporter.deliver(recordsFrom(1, 1), NEVER)).rejects.toMatchObject({ code: 'TIMEOUT' });
    const stopped = new AbortController();
    sink.manner = (response, asked) => {
      stopped.abort();
      return manner(response, asked);
    };
    const patient = await opened();
    await expect(patient.deliver(recordsFrom(1, 1), stopped.signal)).rejects.toMatchObject({ code: 'GIVEN_UP' });
  });

  it('the address is private: no connection is made', async () => {
    const exporter = await opened({
      url: sink.url.replace('http:', 'https:').replace('127.0.0.1', 'localhost'),
      allow_private: false,
    });
    await expect(exporter.deliver(recordsFrom(1, 1), NEVER)).rejects.toMatchObject({ code: 'PRIVATE_ADDRESS' });
  });
});

it('reports its progress before a failure and the delay, and continues from there', async () => {
  const exporter = await opened();
  sink.manner = (response, asked) => {
    if (asked.seq !== 3) return takes(response, asked);
    response.writeHead(429, { 'retry-after': '120' }).end();
    return false;
  };
  const records = recordsFrom(1, 5);
  await expect(exporter.deliver(records, NEVER)).rejects.toMatchObject({ code: 'HTTP_429', through: 2, retry_after_ms: 120_000 });
  await exporter.close();
  sink.manner = takes;
  await exporter.open({ ledgerId: LEDGER });
  expect(await exporter.deliver(records.slice(2), NEVER)).toEqual({ through: 5 });
  expect(sink.kept).toEqual(records.map(({ bytes }) => bytes));
  expect(sink.atOnce).toBe(1);
});

it('stops after a while with a slow receiver, so that progress is stored', async () => {
  const clock = fakeClock(Date.now());
  const exporter = await opened({}, clock);
  sink.manner = (response, asked) => {
    clock.advance(4_000);
    return takes(response, asked);
  };
  expect(await exporter.deliver(recordsFrom(1, 256), NEVER)).toEqual({ through: 3 });
});

describe('options', () => {
  const create = (options: Partial<Options>) => () =>
    webhook.create(
      { url: sink.url, secret: SECRET, allow_private: true, timeout_ms: 1000, batch: 1, operations: false, ...options },
      fakePluginDeps(),
    );

  it('are refused if the secret cannot sign, or the address is private', () => {
    expect(create({ secret: 'whsec_short' })).toThrow(/^secret: /);
    expect(create({ previous_secret: 'whsec_short' })).toThrow(/^previous_secret: /);
    expect(create({ allow_private: false })).toThrow(/allow_private/);
  });

  it('may hold references in place of secrets, as lint has them', () => {
    expect(create({ secret: 'secret://env/HOOK#value' })).not.toThrow();
  });
});
