import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChatStream, HttpStatusError, StreamError, SvcClient } from '@svc/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { broken, SSE_HEADERS, sseFrame, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { chunk } from '../harness/stream-scene.ts';

let upstream: Upstream;
let gateway: TestGateway;
let alice: SvcClient;
let bob: SvcClient;
beforeAll(async () => {
  upstream = await startUpstream();
  const providers = { upstream: { type: 'openai', base_url: upstream.url } };
  const routes = {
    upstream: { provider: 'upstream', model: 'm-1', pipeline: {} },
    stopping: { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: ['stop'] } },
  };
  const packs = { stop: { type: 'rules', rules: [{ name: 'stop', words: ['stop here'], verdict: 'block' }] } };
  gateway = await TestGateway.start({ here: true, config: echoConfig({ providers, routes, packs }) });
  alice = new SvcClient({ base_url: `${gateway.url}/`, key: gateway.key('alice') });
  bob = new SvcClient({ base_url: gateway.url, key: gateway.key('bob') });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const say = (content: string, model = 'default') => ({ model, messages: [{ role: 'user', content }] });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('chat', () => {
  it('whole', async () => {
    const { choices, model, svc_run_id, svc_evidence } = await alice.chat(say('hello'));
    expect([model, choices[0]?.message.content, choices[0]?.finish_reason]).toEqual(['default', 'echo: hello', 'stop']);
    const [last] = (await collect(alice.audit.ledger())).slice(-1);
    expect(svc_evidence).toBe(`${last?.seq} ${last?.hash}`);
    expect(svc_run_id).toBe(last?.record_type === 'run_evidence' ? last.run_id : null);
  });

  it('sends headers, and accepts a base URL that ends with /v1', async () => {
    const client = new SvcClient({ base_url: `${gateway.url}/v1/`, key: gateway.key('alice') });
    const { svc_run_id } = await client.chat(say('hello'), { headers: { 'x-svc-keep': 'request' } });
    expect((await gateway.get(`/v1/runs/${svc_run_id}/request`)).body.messages).toEqual(say('hello').messages);
  });

  it('has no evidence while it waits', async () => {
    expect((await alice.chat(say('a wire transfer'))).svc_evidence).toBeNull();
  });

  it('that is blocked is an answer, not an error', async () => {
    const { choices, svc_run_id } = await alice.chat(say('forbidden'));
    expect(choices[0]?.finish_reason).toBe('content_filter');
    expect((await alice.runs.get(String(svc_run_id))).status).toBe('blocked');
  });

  it('streamed, chunk by chunk', async () => {
    const stream = await alice.chatStream(say('one two three', 'stopping'));
    const chunks = await collect(stream);
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('echo: one two three');
    expect(stream.stop).toBeNull();
    const [last] = (await collect(alice.audit.ledger())).slice(-1);
    expect(stream.evidence).toBe(`${last?.seq} ${last?.hash}`);
    expect(stream.run_id).toBe(last?.record_type === 'run_evidence' ? last.run_id : null);
  });

  it.each([
    ['forbidden', 'default', 'blocked'],
    ['a wire transfer', 'default', 'paused'],
    ['please stop here now', 'stopping', 'stream_violation'],
  ])('"%s" on %s ends a stream with %s', async (text, route, stop) => {
    const stream = await alice.chatStream(say(text, route));
    await stream.text();
    expect(stream.stop).toBe(stop);
  });

  it('that breaks off in the middle is an error with its code', async () => {
    upstream.respond(broken(sseFrame(JSON.stringify(chunk({ content: 'half of ' }))), SSE_HEADERS));
    const stream = await alice.chatStream(say('hello', 'upstream'));
    const error = await stream.text().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StreamError);
    expect(error).toMatchObject({ code: 'SVC-PROV-001', run_id: stream.run_id });
  });

  it('closes the connection when its reader leaves, and the run ends', async () => {
    const stream: ChatStream = await alice.chatStream(say('word '.repeat(20_000)));
    for await (const { choices } of stream) if (choices.length > 0) break;
    const run = await alice.runs.wait(String(stream.run_id));
    expect(['error', 'completed']).toContain(run.status);
  });
});

describe('runs', () => {
  it('waits for a background run, reads its answer, and erases it', async () => {
    const { run_id, status } = await alice.runs.create({ messages: say('later').messages, background: true });
    expect(status).toBe('pending');
    expect((await alice.runs.wait(run_id)).status).toBe('completed');
    expect(await alice.runs.response(run_id)).toMatchObject({ run_id, status: 'completed', response: 'echo: later' });
    const erased = await alice.runs.erase(run_id, { reason: 'asked by mail' });
    expect(erased).toEqual({ run_id, status: 'completed', backups_unreadable: true });
    const { records } = (await gateway.get('/v1/audit/operations')).body;
    expect(records.at(-1)).toMatchObject({ target: { name: run_id }, reason: 'asked by mail' });
    expect(await alice.runs.response(run_id)).toMatchObject({ response: '', completion: null });
  });

  it('waits over a pause until another approves', async () => {
    const { run_id, status } = await alice.runs.create({ route: 'default', messages: say('a wire transfer').messages });
    expect(status).toBe('paused');
    expect((await alice.runs.wait(run_id, { paused: 'return' })).status).toBe('paused');
    const ended = alice.runs.wait(run_id);
    const { digest, node } = await bob.runs.pending(run_id);
    expect(node).toBe('policy');
    await bob.runs.resume(run_id, { decision: 'approved', digest, reason: 'as agreed' });
    expect((await ended).status).toBe('completed');
    expect((await alice.runs.decisions(run_id)).decisions).toMatchObject([{ principal_id: 'bob', reason: 'as agreed' }]);
  });

  it('reports the changes of paused runs', async () => {
    const events = await bob.runs.events();
    const { run_id } = await alice.runs.create({ route: 'default', messages: say('a wire transfer').messages });
    const seen: string[] = [];
    for await (const { change, run } of events) {
      if (run.run_id !== run_id) continue;
      seen.push(`${change} ${run.status}`);
      if (change === 'decided') break;
      const { digest } = await bob.runs.pending(run_id);
      await bob.runs.resume(run_id, { decision: 'denied', digest });
    }
    expect(seen).toEqual(['waiting paused', 'decided denied']);
  });

  it('rejects for an unknown key before the first event', async () => {
    const caller = new SvcClient({ base_url: gateway.url, key: 'svc-unknown' });
    await expect(caller.runs.events()).rejects.toMatchObject({ status: 401, code: 'SVC-AUTH-001' });
  });

  it('stops waiting when aborted', async () => {
    const { run_id } = await alice.runs.create({ route: 'default', messages: say('a wire transfer').messages });
    const left = new AbortController();
    const waiting = alice.runs.wait(run_id, { signal: left.signal });
    left.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('creates one run for two calls with the same key', async () => {
    const run = { route: 'default', messages: say('once').messages };
    const first = await alice.runs.create(run, { idempotency_key: 'k-1' });
    expect((await alice.runs.create(run, { idempotency_key: 'k-1' })).run_id).toBe(first.run_id);
  });
});

it('delegates approvals, lists them, and ends them', async () => {
  const made = await bob.approvals.delegate({ to: 'alice', for: '1h', reason: 'on leave' });
  expect(made).toMatchObject({ from: 'bob', to: 'alice', reason: 'on leave' });
  expect(await alice.approvals.delegations()).toEqual({ delegations: [made] });
  expect(await bob.approvals.endDelegation(made.id, { reason: 'back' })).toMatchObject({ id: made.id });
  expect(await bob.approvals.delegations()).toEqual({ delegations: [] });
  await expect(bob.approvals.endDelegation(made.id)).rejects.toMatchObject({ status: 404, code: 'SVC-APPR-001' });
});

describe('audit', () => {
  it('iterates over all pages', async () => {
    for (let n = 0; n < 5; n += 1) await alice.chat(say(`page ${n}`));
    const { chain_length } = await alice.audit.report();
    const whole = await collect(alice.audit.ledger());
    expect(whole.map(({ seq }) => seq)).toEqual(Array.from({ length: chain_length }, (_, i) => i + 1));
    expect(await collect(alice.audit.ledger({ since_seq: 1, limit: 2 }))).toEqual(whole.slice(1));
    const runs = await collect(alice.audit.runs({ limit: 2 }));
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(runs.length);
    expect(runs.length).toBeGreaterThan(5);
    expect((await collect(alice.audit.inventory({ route: 'default' }))).map(({ model_id }) => model_id)).toEqual(['default']);
  });

  it('lists and exports a session', async () => {
    const { svc_run_id } = await alice.chat(say('hello'), { headers: { 'x-svc-session': 'listed' } });
    expect((await collect(alice.audit.runs({ session: 'listed' }))).map(({ run_id }) => run_id)).toEqual([svc_run_id]);
    const [note, record, ...more] = (await alice.audit.session('alice', 'listed')).trimEnd().split('\n');
    expect([JSON.parse(note ?? ''), JSON.parse(record ?? ''), more]).toMatchObject([
      { checkpoint: expect.any(String) },
      { run_id: svc_run_id },
      [],
    ]);
  });

  it('reads checkpoint and proofs', async () => {
    const { chain_length } = await alice.audit.report();
    expect(await alice.audit.checkpoint()).toMatch(/^\S+\n\d+\n/);
    expect(await alice.audit.proof(1)).toMatch(/^c2sp\.org\/tlog-proof/);
    expect(await alice.audit.consistency(1, chain_length)).toMatchObject({ from: { size: 1 }, to: { size: chain_length } });
  });
});

describe('models, routes, health', () => {
  it("match the server's responses", async () => {
    expect((await alice.models()).data.map(({ id }) => id)).toContain('default');
    expect((await alice.routes()).routes.length).toBeGreaterThan(0);
    expect((await alice.health()).status).toBe('ok');
  });
});

describe('errors', () => {
  it.each([
    ['a route that is not there', () => alice.chat(say('hello', 'nowhere')), 404, 'SVC-ROUTE-001'],
    ['a key that is unknown', () => new SvcClient({ base_url: gateway.url, key: 'svc-00' }).models(), 401, 'SVC-AUTH-001'],
    ['an erasure where RAG is not configured', () => alice.ragErase('n'), 503, 'SVC-RAG-001'],
    ['RAG that is not configured', () => alice.ragQuery({ namespace: 'n', query: 'q' }), 503, 'SVC-RAG-001'],
    ['a page of no size', () => collect(alice.audit.runs({ limit: 0 })), 400, 'SVC-REQ-001'],
    ['a stream of nothing', () => alice.chatStream({ model: 'default', messages: [] }), 400, 'SVC-REQ-001'],
  ])('%s', async (_, call, status, code) => {
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HttpStatusError);
    expect(error).toMatchObject({ status, code, detail: expect.stringContaining(code) });
  });

  it('name the run that was begun', async () => {
    upstream.respond((_, response) => void response.writeHead(500).end());
    await expect(alice.chat(say('hello', 'upstream'), { max_retries: 0 })).rejects.toMatchObject({
      status: 502,
      code: 'SVC-PROV-001',
      run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });
});

/** Something that answers otherwise than the gateway does. */
async function withServer<T>(
  listener: RequestListener,
  use: (client: (timeout_ms?: number) => SvcClient) => Promise<T>,
): Promise<T> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await use((timeout_ms) => new SvcClient({ base_url, ...(timeout_ms === undefined ? {} : { timeout_ms }) }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('limits', () => {
  it('gives up after its timeout, with headers or in the middle of a stream', async () => {
    const silent: RequestListener = (request, response) => {
      if (request.url === '/v1/chat/completions') response.writeHead(200).write('data: {"choices":[]}\n\n');
    };
    await withServer(silent, async (client) => {
      await expect(client(50).models()).rejects.toMatchObject({ name: 'TimeoutError' });
      await expect(client().models({ timeout_ms: 50 })).rejects.toMatchObject({ name: 'TimeoutError' });
      const stream = await client(50).chatStream(say('hello'));
      await expect(stream.text()).rejects.toMatchObject({ name: 'TimeoutError' });
    });
  });

  it('follows no redirect, and understands a page of a proxy', async () => {
    const proxy: RequestListener = (request, response) => {
      if (request.url === '/v1/models') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
      else response.writeHead(503, { 'retry-after': '7', 'content-type': 'text/html' }).end('<h1>busy</h1>');
    };
    await withServer(proxy, async (client) => {
      await expect(client().models()).rejects.toBeInstanceOf(TypeError);
      await expect(client().health({ max_retries: 0 })).rejects.toMatchObject({ status: 503, code: null, retry_after_s: 7 });
    });
  });

  it('a stream without its last frame is broken', async () => {
    await withServer(
      (_, response) => void response.end('data: {"choices":[]}\n\n'),
      async (client) => {
        const stream = await client().chatStream(say('hello'));
        await expect(stream.text()).rejects.toMatchObject({ name: 'StreamError', code: null });
      },
    );
  });
});
