import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { ChatCompletionChunk } from '@svc/contracts';
import { behaviours, fakeCallContext, fakePluginDeps, startUpstream, type Upstream } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UpstreamClient } from './client.ts';
import { addressOf } from './target.ts';

const { raw, send } = behaviours;
const CODECS = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zstdCompressSync,
} as const;
const NAMES = Object.keys(CODECS) as (keyof typeof CODECS)[];
const LIMIT = 262_144;
const ANSWER = JSON.stringify({ text: 'Grüße '.repeat(5_000) });
const EVENTS = Array.from({ length: 500 }, (_, n) => `data: {"n":${n}}\n\n`).join('');

let upstream: Upstream;
let client: UpstreamClient;
beforeAll(async () => {
  upstream = await startUpstream();
  const target = { ...addressOf(upstream.url, '/chat'), headers: {} };
  client = new UpstreamClient(target, { connections: 4, max_response_bytes: LIMIT }, fakePluginDeps());
});
afterAll(async () => {
  await client.close();
  await upstream.close();
});

const headersOf = (encoding: string, type = 'application/json') => ({ 'content-type': type, 'content-encoding': encoding });

async function whole(): Promise<string> {
  return client.whole('{}', fakeCallContext());
}

async function streamed(): Promise<unknown[]> {
  const reader = {
    isEnded: false,
    take: ({ data }: { data: string }) => [JSON.parse(data) as ChatCompletionChunk],
    end: () => undefined,
  };
  const frames: unknown[] = [];
  for await (const frame of await client.stream('{}', fakeCallContext(), reader)) frames.push(frame);
  return frames;
}

test('no encoding is requested', async () => {
  upstream.respond(raw(200, { 'content-type': 'application/json' }, '{}'));
  await whole();
  expect(upstream.requests.at(-1)?.headers['accept-encoding']).toBe('identity');
});

describe.each(NAMES)('%s', (name) => {
  const coded = (text: string): Buffer => CODECS[name](text);

  test('is decoded, whole and streamed', async () => {
    upstream.respond(raw(200, headersOf(name), coded(ANSWER)), raw(200, headersOf(name, 'text/event-stream'), coded(EVENTS)));
    expect(await whole()).toBe(ANSWER);
    expect(await streamed()).toEqual(Array.from({ length: 500 }, (_, n) => ({ n })));
  });

  test('of a refusal is decoded', async () => {
    const refusal = coded(JSON.stringify({ error: { message: 'too long', code: 'context_length_exceeded' } }));
    upstream.respond(raw(400, headersOf(name), refusal), raw(400, headersOf(name), refusal));
    const refused = { kind: 'invalid_request', status: 400, code: 'context_length_exceeded' };
    await expect(whole()).rejects.toMatchObject(refused);
    await expect(streamed()).rejects.toMatchObject(refused);
  });

  test('that breaks off, or is invalid, is malformed', async () => {
    const cut = coded(ANSWER).subarray(0, -10);
    upstream.respond(
      raw(200, headersOf(name), cut),
      raw(200, headersOf(name), ANSWER),
      raw(200, headersOf(name, 'text/event-stream'), coded(EVENTS).subarray(0, -10)),
    );
    await expect(whole()).rejects.toMatchObject({ kind: 'malformed', cost: 'unknown' });
    await expect(whole()).rejects.toMatchObject({ kind: 'malformed', cost: 'unknown' });
    await expect(streamed()).rejects.toMatchObject({ kind: 'malformed', cost: 'unknown' });
  });

  test('that is a decompression bomb is abandoned at the limit', async () => {
    const bomb = coded(`"${' '.repeat(100 * LIMIT)}"`);
    expect(bomb.length).toBeLessThan(LIMIT);
    let most = 0;
    const onBuffered = (bytes: number): void => {
      most = Math.max(most, bytes);
    };
    upstream.respond(raw(200, headersOf(name), bomb), raw(400, headersOf(name), bomb));
    await expect(client.whole('{}', { ...fakeCallContext(), onBuffered })).rejects.toMatchObject({ kind: 'malformed' });
    expect(most).toBeLessThanOrEqual(LIMIT);
    await expect(whole()).rejects.toMatchObject({ kind: 'invalid_request', status: 400 });
  });
});

test('two encodings are undone in their order', async () => {
  upstream.respond(raw(200, headersOf('gzip, br'), brotliCompressSync(gzipSync(ANSWER))));
  expect(await whole()).toBe(ANSWER);
});

test('identity is not an encoding', async () => {
  upstream.respond(raw(200, headersOf('identity'), ANSWER));
  expect(await whole()).toBe(ANSWER);
});

test('an unknown encoding is malformed, and of a refusal its status counts', async () => {
  upstream.respond(raw(200, headersOf('compress'), ANSWER), raw(429, headersOf('compress'), ANSWER));
  await expect(whole()).rejects.toMatchObject({ kind: 'malformed' });
  await expect(whole()).rejects.toMatchObject({ kind: 'rate_limited' });
});

test('events arrive as they are sent, and each is a sign of life', async () => {
  const gate = Promise.withResolvers<void>();
  upstream.respond(async (_request, response) => {
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    response.writeHead(200, headersOf('gzip', 'text/event-stream'));
    gzip.on('data', (piece: Buffer) => void send(response, piece));
    gzip.write(': ping\n\ndata: {"n":1}\n\n');
    await gate.promise;
    gzip.on('end', () => response.end());
    gzip.end('data: {"n":2}\n\n');
  });
  const reports: string[] = [];
  const reader = {
    isEnded: false,
    take: ({ data }: { data: string }) => [JSON.parse(data) as ChatCompletionChunk],
    end: () => undefined,
  };
  const context = { ...fakeCallContext(), onBuffered: () => reports.push('report') };
  const frames = (await client.stream('{}', context, reader))[Symbol.asyncIterator]();
  expect(await frames.next()).toMatchObject({ value: { n: 1 } });
  expect(reports).toHaveLength(1);
  gate.resolve();
  expect(await frames.next()).toMatchObject({ value: { n: 2 } });
  expect(await frames.next()).toMatchObject({ done: true });
});
