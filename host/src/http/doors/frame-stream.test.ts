import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChatCompletionChunk } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EVENT_STREAM } from './event-stream.ts';
import { FrameStream } from './frame-stream.ts';

const INTERVAL_MS = 15_000;
const FRAME: ChatCompletionChunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [] };
const COMMENT = ': keep-alive\n\n';

const logged: object[] = [];
const log = { warn: (fields: object) => void logged.push(fields) };
const silent = (): void => undefined;
const logger = { ...log, level: 'warn', fatal: silent, error: silent, info: silent, debug: silent, trace: silent, silent };
const app = Fastify({ loggerInstance: { ...logger, child: () => ({ ...logger, child: () => logger as never }) as never } });
let frames: FrameStream;
let rested: PromiseWithResolvers<RunOutcome>;
let asked: PromiseWithResolvers<void>;
app.get('/', async (_request, reply) => {
  frames = new FrameStream(reply, INTERVAL_MS, {
    head: EVENT_STREAM,
    piece: () => 'data: {}\n\n',
    keepAlive: () => COMMENT,
    held: 0,
  });
  asked.resolve();
  return (await frames.begunBefore(rested.promise)) ? reply : reply.code(502).send('failed');
});

/** A request whose run is in progress, and its response as far as there is one. */
async function ask() {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const got: { response: IncomingMessage | null; text: string } = { response: null, text: '' };
  get({ port, host: '127.0.0.1', agent: false }, (response) => {
    got.response = response;
    response.setEncoding('utf8').on('data', (text: string) => {
      got.text += text;
    });
  });
  await asked.promise;
  return got;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  rested = Promise.withResolvers();
  asked = Promise.withResolvers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Waits for real turns of the event loop, in which sent data arrives. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}

it('sends a comment after 15 s of silence, and another one every 15 s', async () => {
  const got = await ask();
  frames.ready('run-1');
  vi.advanceTimersByTime(INTERVAL_MS - 1);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1);
  await until(() => got.text === COMMENT);
  expect(got.response).toMatchObject({ statusCode: 200, headers: { 'x-svc-run-id': 'run-1' } });
  vi.advanceTimersByTime(2 * INTERVAL_MS);
  await until(() => got.text === COMMENT.repeat(3));
  frames.end(['data: [DONE]\n\n']);
  await until(() => got.text.endsWith('[DONE]\n\n'));
  expect(vi.getTimerCount()).toBe(0);
});

it('measures silence from the last frame', async () => {
  const got = await ask();
  frames.ready('run-1');
  vi.advanceTimersByTime(INTERVAL_MS - 1);
  frames.write(FRAME);
  await nextTurn();
  vi.advanceTimersByTime(INTERVAL_MS - 1);
  frames.write(FRAME);
  await nextTurn();
  vi.advanceTimersByTime(INTERVAL_MS);
  frames.end([]);
  await until(() => got.response?.complete === true);
  expect(got.text.split('\n\n').map((event) => event.slice(0, 5))).toEqual(['data:', 'data:', ': kee', '']);
});

it('sends nothing before the run is on disk, however long that takes', async () => {
  const got = await ask();
  vi.advanceTimersByTime(10 * INTERVAL_MS);
  rested.reject(new Error('not written'));
  await until(() => got.response?.complete === true);
  expect(got.response?.statusCode).toBe(502);
});

it('reports a run that fails before 15 s by its status, without a comment', async () => {
  const got = await ask();
  frames.ready('run-1');
  vi.advanceTimersByTime(INTERVAL_MS - 1);
  rested.reject(new Error('failed'));
  await until(() => got.response?.complete === true);
  expect([got.response?.statusCode, got.text]).toEqual([502, 'failed']);
  expect(vi.getTimerCount()).toBe(0);
});

it('releases its timer when the client leaves', async () => {
  const got = await ask();
  frames.ready('run-1');
  vi.advanceTimersByTime(INTERVAL_MS);
  await until(() => got.response !== null);
  got.response?.destroy();
  await until(() => vi.getTimerCount() === 0);
});

it('closes the connection if the end of the stream cannot be written, and logs it', async () => {
  const got = await ask();
  frames.ready('run-1');
  frames.write(FRAME);
  await until(() => got.response !== null);
  const ended = Promise.withResolvers<void>();
  got.response?.once('error', () => ended.resolve());
  frames.end(
    (function* () {
      yield 'data: {}\n\n';
      throw new RangeError('secret');
    })(),
  );
  await ended.promise;
  expect(logged).toEqual([{ event: 'answer_cut', run_id: 'run-1', reason: 'RangeError' }]);
});
