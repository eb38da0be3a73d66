import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dripped, sseFrame, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { chunk } from '../harness/stream-scene.ts';

const READERS = 20;
const PIECE = 16_000;
const PIECES = 940;
/** Of the 15 MB of text: each reader stops before their end. */
const READ_BYTES = 15_000_000;
const MAX_RSS_BYTES = 1_000_000_000;

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({
    config: echoConfig({
      providers: { upstream: { type: 'openai', base_url: upstream.url, max_response_bytes: 33_554_432 } },
      routes: { open: { provider: 'upstream', model: 'm', pipeline: { ingress: [], egress: [] } } },
    }),
  });
});
afterAll(async () => {
  await gateway?.dispose();
  await upstream?.close();
});

/** Most memory that the process ever had. */
function peakRss(pid: number): number {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

function* pieces(): Generator<string> {
  for (let n = 0; n < PIECES; n += 1) yield sseFrame(chunk({ content: 'x'.repeat(PIECE) }));
  yield sseFrame(chunk({}, { finish_reason: 'stop' }));
  yield sseFrame('[DONE]');
}

/** Reads most of a streamed response, and then no more. */
async function readMost(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  upstream.respond(dripped(pieces()).behaviour);
  const { body } = await fetch(`${gateway.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key('alice')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'open', input: 'hello', stream: true }),
  });
  if (body === null) throw new Error('no body');
  const reader = body.getReader();
  for (let read = 0; read < READ_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) throw new Error('it ended early');
    read += value.length;
  }
  return reader;
}

// Not kept yet: 1.13 GB measured, after 3.59 GB when the frames at the end were made at once. Each reader still holds the text of its answer and one
// frame that repeats all of it. The protocols' own change writes these frames anew, and makes a frame in pieces.
it.todo('readers that stop before the end of a large streamed response leave the process its memory', async () => {
  const readers = await Promise.all(Array.from({ length: READERS }, readMost));
  for (let asked = 0; asked < 50; asked += 1) expect((await gateway.get('/livez', null)).status).toBe(204);
  expect(peakRss(gateway.pid)).toBeLessThan(MAX_RSS_BYTES);
  for (const reader of readers) await reader.cancel();
});
