import type { JsonObject } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, completionOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, TestGateway } from '../harness/gateway.ts';

// What guards do in threads, in a server that has just started: its threads are cold.

let upstream: Upstream;
let gateway: TestGateway | undefined;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  await gateway?.dispose();
  await upstream.close();
});

async function start(pack: JsonObject, guard_threads: number): Promise<TestGateway> {
  const route = (pipeline: JsonObject): JsonObject => ({ provider: 'up', model: 'm-1', pipeline });
  gateway = await TestGateway.start({
    packages: ['ponders'],
    config: {
      server: { guard_threads },
      providers: { up: { type: 'openai', base_url: upstream.url } },
      packs: { ponders: { type: 'ponders', ...pack } },
      routes: {
        default: route({ ingress: ['ponders'], egress: ['ponders'] }),
        before: route({ ingress: ['ponders'], egress: [] }),
        after: route({ ingress: [], egress: ['ponders'] }),
      },
    },
  });
  return gateway;
}

/** How a run ended, and how its guard failed. */
async function endOf({ headers }: Answer): Promise<unknown[]> {
  const { body } = (await gateway?.get(`/v1/runs/${headers.get('x-svc-run-id')}`)) ?? {};
  return [body.status, body.events.find(({ node }: JsonObject) => node === 'ponders')?.data.failure];
}

it('concurrent large texts are all answered: loading and waiting do not count as work', async () => {
  // A thread loads for longer than a guard may work, and the last of these waits for longer.
  const server = await start({ load_ms: 800, work_ms: 100, timeout_ms: 700 }, 2);
  const text = 'We met them at 10 and talked about the boats. '.repeat(5300);
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => server.chat(`${n} ${text}`)));
  const ends = await Promise.all(answers.map(endOf));
  expect(ends).toEqual(answers.map(() => ['completed', undefined]));
  expect(upstream.requests).toHaveLength(12);
});

describe('work that', () => {
  it.each([
    ['never ends', 'spin', 'timeout'],
    ['ends its thread', 'exit', 'threw'],
  ])('%s fails the guard, in ingress and in egress, and the next is served', async (_, text, failure) => {
    const server = await start({ load_ms: 600, timeout_ms: 500 }, 1);
    expect(await endOf(await server.chat(text, { model: 'before' }))).toEqual(['blocked', failure]);
    expect(upstream.requests).toEqual([]);
    upstream.respond(answer(completionOf({}, text)));
    expect(await endOf(await server.chat('hello', { model: 'after' }))).toEqual(['blocked', failure]);
    expect(await endOf(await server.chat('hello'))).toEqual(['completed', undefined]);
  });
});

it('a full queue is 503 before a model is called, and those in it are served', async () => {
  const server = await start({ load_ms: 0, timeout_ms: 600_000 }, 1);
  const { url } = server;
  const chat = (text: string, model: string): Promise<Answer> => server.chat(text, { model });
  // The kernel has seen by then that this guard uses threads.
  expect((await chat('hello', 'after')).status).toBe(200);
  const caller = new AbortController();
  const spinning = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    signal: caller.signal,
    headers: { authorization: `Bearer ${server.key('alice')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'before', messages: [{ role: 'user', content: 'spin' }] }),
  }).catch(() => null);
  const turnedAway = Promise.withResolvers<void>();
  const asked = Array.from({ length: 1100 }, async () => {
    const given = await chat('hello', 'before');
    if (given.status === 503) turnedAway.resolve();
    return given;
  });
  await turnedAway.promise;
  const after = await chat('hello', 'after');
  caller.abort();
  await spinning;
  const answers = [after, ...(await Promise.all(asked))];
  const refused = answers.filter(({ status }) => status === 503);
  expect(after.status).toBe(503);
  expect(new Set(refused.map(({ body, headers }) => `${body.code} ${headers.get('retry-after')}`))).toEqual(
    new Set(['SVC-BUSY-001 5']),
  );
  expect(answers.filter(({ status }) => status === 200).length).toBe(answers.length - refused.length);
  expect(upstream.requests).toHaveLength(1 + answers.length - refused.length);
});
