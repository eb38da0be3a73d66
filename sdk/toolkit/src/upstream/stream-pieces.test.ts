import { behaviours, fakePluginDeps, startUpstream, type Upstream } from '@svc/sdk/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UpstreamClient } from './client.ts';
import { inStreamPieces } from './stream-pieces.ts';
import { addressOf } from './target.ts';

const EVENT = 'data: {}\n\n';
const EVENTS = 100_000;
/** Each event takes this long to process here, so that the speed of the machine does not matter. */
const WORK_MS = 0.02;

let upstream: Upstream;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(() => upstream.close());

/** Counts and processes events. {@link most} is the maximum in one turn of the event loop. */
class Worker {
  all = 0;
  most = 0;
  #turn = 0;

  take(): void {
    if (this.#turn === 0)
      setImmediate(() => {
        this.#turn = 0;
      });
    this.all += 1;
    this.#turn += 1;
    this.most = Math.max(this.most, this.#turn);
    for (const until = performance.now() + WORK_MS; performance.now() < until; );
  }
}

it('a flood of events that arrive at once does not delay other tasks', async () => {
  const worker = new Worker();
  async function* body() {
    yield new TextEncoder().encode(EVENT.repeat(EVENTS));
  }
  for await (const piece of inStreamPieces(body())) for (let at = 0; at < piece.length; at += EVENT.length) worker.take();
  expect(worker.all).toBe(EVENTS);
  expect(worker.most).toBeLessThan(1_000);
});

it('neither does a flood without a chunk from a model server', async () => {
  upstream.respond(behaviours.raw(200, { 'content-type': 'text/event-stream' }, EVENT.repeat(EVENTS)));
  const limits = { connections: 1, max_response_bytes: 16_777_216 };
  const client = new UpstreamClient({ ...addressOf(upstream.url, '/chat'), headers: {} }, limits, fakePluginDeps());
  const worker = new Worker();
  const context = { run_id: 'r', attempt: 1, signal: new AbortController().signal, timeout_ms: 60_000 };
  const nothing = (): [] => {
    worker.take();
    return [];
  };
  const chunks = await client.stream('{}', context, { take: nothing, isEnded: false, end: () => undefined });
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
  await client.close();
  expect(worker.all).toBe(EVENTS);
  expect(worker.most).toBeLessThan(1_000);
});

it('the bytes are unchanged, wherever they are cut', async () => {
  const texts = ['', 'a\n', '\r\n'.repeat(700), 'b'.repeat(100_000), '\n'.repeat(300)];
  async function* body() {
    for (const text of texts) yield new TextEncoder().encode(text);
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of inStreamPieces(body())) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe(texts.join(''));
  expect(pieces.map(({ length }) => length)).toContain(100_000);
});
