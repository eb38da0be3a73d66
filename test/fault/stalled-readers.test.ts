import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dripped, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { type LongAnswer, longAnswer } from '../harness/long-answers.ts';
import { until } from '../harness/until.ts';

const READERS = 20;
const ANSWER_BYTES = 15_000_000;
const MAX_RSS_BYTES = 1_000_000_000;
const MAX_BYTES_IN_FLIGHT = 16_777_216;
/** Answers may take twice the bound, and what is being written to readers was admitted with its frame. */
const MAX_HELD_BYTES = 3 * MAX_BYTES_IN_FLIGHT;
const NEIGHBOURS = 10;
/** Looks at the upstream that find no progress before it counts as held back. */
const LOOKS = 5;

const DOORS = {
  responses: { path: '/v1/responses', body: { input: 'hello' } },
  messages: { path: '/v1/messages', body: { max_tokens: 100_000, messages: [{ role: 'user', content: 'hello' }] } },
  chat: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'hello' }] } },
} as const;
type Door = keyof typeof DOORS;
/** `plugin`: a provider from outside, which does not report what it holds of an answer. */
type Spoken = LongAnswer | 'plugin';

let upstream: Upstream;
let gateway: TestGateway;
const stopped: ReadableStreamDefaultReader<Uint8Array>[] = [];
beforeAll(async () => {
  upstream = await startUpstream();
  const base = { base_url: upstream.url, max_response_bytes: 134_217_728, connections: READERS };
  const routes = (['chat', 'messages', 'responses', 'plugin'] as const).flatMap((spoken) =>
    [[], ['account']].map((egress) => [
      `${spoken}-${egress.length === 0 ? 'open' : 'guarded'}`,
      { provider: spoken, model: 'm', pipeline: { ingress: [], egress } },
    ]),
  );
  gateway = await TestGateway.start({
    packages: ['rambles'],
    env: { ANTHROPIC_API_KEY: 'x' },
    config: echoConfig({
      server: { body_limit_bytes: 1_048_576, max_bytes_in_flight: MAX_BYTES_IN_FLIGHT },
      packs: { account: { type: 'rules', rules: [{ name: 'account', match: 'ACC-\\d{1,9}', verdict: 'sanitize' }] } },
      providers: {
        chat: { type: 'openai', ...base },
        responses: { type: 'openai', api: 'responses', ...base },
        plugin: { type: 'rambles', characters: ANSWER_BYTES },
        messages: { type: 'anthropic', api_key: 'env://ANTHROPIC_API_KEY', ...base },
      },
      routes: Object.fromEntries(routes),
    }),
  });
});
afterEach(async () => {
  for (const reader of stopped.splice(0)) await reader.cancel().catch(() => undefined);
  await until(async () => (await inFlight()) === 0);
});
afterAll(async () => {
  await gateway?.dispose();
  await upstream?.close();
});

async function metric(name: string): Promise<number> {
  const { text } = await gateway.get('/metrics', null);
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

function inFlight(): Promise<number> {
  return metric('svc_bytes_in_flight');
}

/** How many answers were ended so far because there was no room for them. */
function endedForRoom(): Promise<number> {
  return metric('svc_bytes_refused_total\\{what="answer"\\}');
}

/** Most memory that the process ever had. */
function peakRss(): number {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) * 1_024;
}

/** Reads a streamed answer until so many bytes, and then no more. It may be cut before. */
async function readUntil(bytes: number, door: Door, model: string): Promise<void> {
  const { path, body } = DOORS[door];
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key('alice')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, model, stream: true }),
  });
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('no body');
  stopped.push(reader);
  let last = '';
  for (let read = 0; read < bytes; ) {
    // A reader that had stalled loses its connection.
    const { done, value } = await reader.read().catch(() => ({ done: true, value: null }) as const);
    if (value === null) return;
    if (done) return expect(last).toContain('SVC-BUSY-001');
    read += value.length;
    last = (last + Buffer.from(value).toString('latin1')).slice(-4_096);
  }
}

/** Resolves once all readers have stopped, and the upstream is held back. */
async function stop(door: Door, spoken: Spoken, guards: 'open' | 'guarded'): Promise<void> {
  const answer = spoken === 'plugin' ? [] : longAnswer(spoken, ANSWER_BYTES);
  const sources = Array.from({ length: READERS }, () => dripped(answer));
  if (spoken !== 'plugin') upstream.respond(...sources.map(({ behaviour }) => behaviour));
  // Frames that repeat a text follow it: its readers stop where these begin. An upstream's responses have three texts.
  const texts = door !== 'responses' ? 2 : spoken === 'responses' ? 3 : 1;
  const bytes = ANSWER_BYTES / texts;
  await Promise.all(sources.map(() => readUntil(bytes, door, `${spoken}-${guards}`)));
  let before = '';
  let same = 0;
  await until(async () => {
    const progress = [await inFlight(), ...sources.map(({ sent }) => sent())].join(' ');
    same = progress === before ? same + 1 : 0;
    before = progress;
    return same >= LOOKS;
  });
}

/** Each is answered, if need be when it asks again: readers that have stalled are given up for it. */
async function neighboursAreAnswered(): Promise<void> {
  for (let n = 0; n < NEIGHBOURS; n += 1) await until(async () => (await gateway.chat('hello')).status === 200);
}

describe.each<[Door, Spoken, 'open' | 'guarded', 'all' | 'some']>([
  ['responses', 'responses', 'open', 'some'],
  ['responses', 'responses', 'guarded', 'some'],
  ['responses', 'chat', 'open', 'some'],
  ['responses', 'plugin', 'open', 'some'],
  ['messages', 'messages', 'open', 'all'],
  ['messages', 'messages', 'guarded', 'some'],
  ['chat', 'chat', 'open', 'all'],
  ['chat', 'responses', 'open', 'some'],
])('%s with an upstream that uses %s, %s', (door, spoken, guards, kept) => {
  it('readers that stop neither exhaust memory nor delay the answers of others', async () => {
    const before = await endedForRoom();
    await stop(door, spoken, guards);
    expect(await inFlight()).toBeLessThan(MAX_HELD_BYTES);
    await neighboursAreAnswered();
    expect(peakRss()).toBeLessThan(MAX_RSS_BYTES);
    // Of some streams nothing is held: none of them has to end for the others.
    const ended = (await endedForRoom()) - before;
    if (kept === 'all') expect(ended).toBe(0);
    else expect(ended).toBeGreaterThan(0);
  });
});
