import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answer,
  broken,
  completionOf,
  failure,
  held,
  RUBBISH,
  raw,
  startUpstream,
  UPSTREAM_MARKER,
  type Upstream,
} from '../fixtures/upstream.ts';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

/** Every marker that was handed out, by what it stood for. */
const markers = new Map<string, string>();

/** A word that nothing but this test writes. It looks like an identifier, so that no filter for such words can hide it. */
function mark(what: string): string {
  const marker = `MK${randomBytes(8).toString('hex')}`;
  markers.set(`${what} (${markers.size})`, marker);
  return marker;
}

const pattern = mark('pattern');
const word = mark('word of a rule');
const upstreamKey = mark('key of the provider');

let upstream: Upstream;
let gateway: TestGateway;
/** Errors, and headers of every answer. An answer's own body may hold text: it is what was asked for. */
const told: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  const rules = (...list: JsonObject[]): JsonObject => ({ type: 'rules', rules: list });
  const provider = { type: 'openai', base_url: upstream.url, region: 'eu', api_key: 'secret://env/UPSTREAM_KEY#value' };
  gateway = await TestGateway.start({
    config: echoConfig({
      server: { body_limit_bytes: 20_000 },
      providers: { upstream: provider },
      packs: {
        mask: rules({ name: 'account', match: 'ACC-[0-9a-zA-Z]+', verdict: 'sanitize' }),
        pattern: rules({ name: 'pattern', match: `${pattern}|pausing`, verdict: 'require_approval' }),
        words: rules({ name: 'words', words: [word, 'stopping'], verdict: 'block' }),
        watching: { ...rules({ name: 'watched', match: 'MK', verdict: 'block' }), mode: 'observe' },
        late: rules({ name: 'late', match: 'leaking', verdict: 'require_approval' }),
      },
      routes: {
        model: {
          provider: 'upstream',
          model: 'm-1',
          pipeline: { ingress: ['mask', 'watching', 'pattern', 'words'], egress: ['mask', 'watching', 'words', 'late'] },
        },
        echo: {
          provider: 'local',
          model: 'echo-1',
          pipeline: { ingress: ['mask', 'pattern', 'words'], egress: ['mask', 'watching'] },
        },
        eyes: { provider: 'local', model: 'echo-1', unscannable: 'block', pipeline: { ingress: ['mask'], egress: [] } },
      },
    }),
    env: { UPSTREAM_KEY: upstreamKey },
  });
  for (const [principal, key] of gateway.keys) markers.set(`key of ${principal}`, key.slice('svc-'.length));
  markers.set('words of an upstream', UPSTREAM_MARKER);
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

function note(response: Answer): Answer {
  told.push(JSON.stringify([...response.headers]));
  if (response.status >= 400) told.push(response.text);
  return response;
}

const send = async (method: string, path: string, options: Parameters<TestGateway['request']>[2] = {}): Promise<Answer> =>
  note(await gateway.request(method, path, options));
const chat = (body: JsonObject): Promise<Answer> =>
  send('POST', '/v1/chat/completions', { body, headers: { 'x-svc-keep': 'request' } });
const user = (content: unknown): JsonObject => ({ messages: [{ role: 'user', content }] }) as JsonObject;
const resume = (run_id: string, decision: string): Promise<Answer> =>
  send('POST', `/v1/runs/${run_id}/resume`, { principal: 'bob', body: { decision } });

/** A chat with a marker in every place that takes text, and in keys that callers choose. */
function fullRequest(model: string): JsonObject {
  return {
    model,
    messages: [
      { role: 'system', content: `system ${mark('system message')}`, name: mark('participant') },
      {
        role: 'user',
        content: [
          { type: 'text', text: `text ${mark('text part')}` },
          { type: 'image_url', image_url: { url: `https://example.org/${mark('image link')}` } },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${mark('image')}` } },
          { type: 'file', file: { file_id: mark('file id'), filename: mark('file name') } },
          { type: mark('part type'), [mark('part key')]: mark('part value') },
          { type: 'x', [mark('key above an image')]: { image_url: { url: `data:image/png;base64,${mark('hidden image')}` } } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: mark('call id'),
            type: 'function',
            function: {
              name: mark('tool name'),
              arguments: JSON.stringify({
                [mark('argument key')]: { nested: [mark('argument'), `ACC-${mark('masked argument')}`] },
              }),
            },
          },
          { id: 'c2', type: 'function', function: { name: 'f', arguments: `{"broken": "${mark('broken arguments')}` } },
        ],
      },
      { role: 'tool', tool_call_id: mark('tool call id'), content: `result ${mark('tool result')}` },
      { role: 'user', content: `my account is ACC-${mark('masked value')}`, [mark('message key')]: mark('message value') },
    ],
    metadata: { [mark('metadata key')]: mark('metadata') },
    user: mark('user'),
    stop: [mark('stop')],
    tools: [
      {
        type: 'function',
        function: {
          name: mark('declared tool'),
          description: mark('tool description'),
          parameters: {
            type: 'object',
            properties: { [mark('property')]: { type: 'string', description: mark('property description') } },
          },
        },
      },
    ],
    response_format: { type: 'json_schema', json_schema: { name: mark('schema name'), schema: { title: mark('schema title') } } },
    logit_bias: { [mark('logit bias')]: 1 },
    [mark('unknown parameter')]: { [mark('unknown key')]: mark('unknown value') },
  };
}

/** What the upstream says, with a marker in every place. */
function fullAnswer(): Parameters<typeof answer>[0] {
  const completion = completionOf({ model: mark('upstream model') }, `answer ${mark('answer')} ACC-${mark('masked answer')}`);
  const [choice] = completion.choices;
  if (choice === undefined) throw new Error('an answer has a choice');
  const call = {
    id: mark('answered call id'),
    type: 'function',
    function: { name: mark('called tool'), arguments: `{"a":"${mark('called argument')}"}` },
  };
  Object.assign(choice, { finish_reason: mark('finish reason'), [mark('choice key')]: mark('choice value') });
  Object.assign(choice.message, { tool_calls: [call], reasoning_content: mark('reasoning'), refusal: mark('refusal') });
  const usage = { ...completion.usage, [mark('usage key')]: mark('usage value') };
  return {
    ...completion,
    id: mark('answer id'),
    usage,
    system_fingerprint: mark('fingerprint'),
    [mark('answer key')]: 1,
  } as typeof completion;
}

describe('events, ledger, metrics, log and errors contain no text of anyone, after', () => {
  it.each(['model', 'echo', 'eyes'])('a whole conversation, answered by %s', async (model) => {
    for (const stream of [false, true]) {
      if (model === 'model') upstream.respond(answer(fullAnswer()));
      const { status } = await chat({ ...fullRequest(model), stream });
      expect(status).toBe(200);
    }
  });

  it('text that was masked, blocked, denied, approved, and expected in an answer', async () => {
    const { body: blocked } = await chat({ model: 'model', ...user(`stopping ${mark('blocked')} ${word}`) });
    expect(blocked.choices[0].finish_reason).toBe('content_filter');
    for (const decision of ['approved', 'denied']) {
      for (const content of [`pausing ${mark('paused')} ${pattern} ACC-${mark('paused account')}`, `leaking ${mark('held')}`]) {
        const { body } = await chat({ model: 'model', ...user(content) });
        await send('GET', `/v1/runs/${body.svc_run_id}/pending`, { principal: 'bob' });
        expect((await resume(body.svc_run_id, decision)).status).toBe(200);
        await send('GET', `/v1/runs/${body.svc_run_id}/response`);
        await send('GET', `/v1/runs/${body.svc_run_id}/request`);
      }
    }
  });

  it('runs, including background runs', async () => {
    const created = await send('POST', '/v1/runs', {
      body: { route: 'model', ...user(mark('run')) },
    });
    expect(created.body.status).toBe('completed');
    const unknown = await send('POST', '/v1/runs', { body: { ...user(mark('not run')), [mark('field of a run')]: 1 } });
    expect(unknown.status).toBe(400);
    const { body } = await send('POST', '/v1/runs', {
      body: { route: 'model', ...user(mark('background run')), background: true },
    });
    await until(async () => (await send('GET', `/v1/runs/${body.run_id}`)).body.status === 'completed');
  });

  it.each([400, 401, 403, 404, 413, 422, 429, 500, 503])('an upstream that refuses with %i', async (status) => {
    upstream.respond(failure(status, { 'retry-after': '1', 'x-request-id': mark('upstream header') }));
    expect((await chat({ model: 'model', ...user(mark('refused')) })).status).toBeGreaterThanOrEqual(400);
  });

  it.each([...Object.keys(RUBBISH), 'broken off'])('an upstream that answers %s', async (what) => {
    upstream.respond(RUBBISH[what] ?? broken(`{"id":"${mark('broken off')}`));
    await chat({ model: 'model', ...user(mark('asked of rubbish')) });
  });

  it('an upstream that redirects', async () => {
    upstream.respond(raw(302, { location: `http://127.0.0.1:1/${mark('redirect')}` }));
    expect((await chat({ model: 'model', ...user(mark('redirected')) })).status).toBe(502);
  });

  it('a client that leaves', async () => {
    const model = held(answer(mark('late answer')));
    upstream.respond(model.behaviour);
    const asked = upstream.received(upstream.requests.length + 1);
    const leaving = new AbortController();
    const left = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${gateway.key('alice')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'model', ...user(mark('left')) }),
    }).catch(() => 'left');
    const { disconnected } = await asked;
    leaving.abort();
    expect(await left).toBe('left');
    await disconnected;
    await until(async () => JSON.stringify(await gateway.ledger()).includes('"disconnected"'));
  });

  it('malformed bodies', async () => {
    const bodies: unknown[] = [
      `{"model":"model","messages":"${mark('cut JSON')}`,
      mark('no JSON'),
      `{"${mark('duplicate')}":1,"__proto__":{"${mark('prototype')}":1}}`,
      { model: mark('unknown route'), ...user('x') },
      { model: { [mark('model key')]: mark('model value') }, ...user('x') },
      { model: 'model', messages: mark('messages text') },
      { model: 'model', messages: [mark('message text')] },
      { model: 'model', messages: { [mark('messages key')]: mark('messages value') } },
      { model: 'model', messages: [{ role: mark('role'), content: 'x' }] },
      { model: 'model', messages: [{ role: 'user', content: { [mark('content key')]: mark('content value') } }] },
      { model: 'model', ...user('x'), stream: mark('stream') },
      { model: 'model', ...user('x'), n: mark('n'), max_tokens: mark('max tokens') },
      { model: 'model', ...user('x'), stream_options: { include_usage: mark('include usage') } },
      { model: 'model', ...user(`\ud800${mark('half a pair')}`) },
      { model: 'model', ...user(`${mark('too large')}${'x'.repeat(20_000)}`) },
      { model: 'model', ...user('x'), tool_choice: JSON.parse(`${'['.repeat(70)}"${mark('too deep')}"${']'.repeat(70)}`) },
    ];
    for (const body of bodies) {
      expect((await send('POST', '/v1/chat/completions', { body })).status).toBeGreaterThanOrEqual(400);
      await send('POST', '/v1/runs', { body });
      await send('POST', '/v1/rag/index', { body });
    }
    const named = { route: mark('unknown route of a run'), approvers: [mark('approver')], background: mark('background') };
    await send('POST', '/v1/runs', { body: { ...user('x'), ...named } });
    await send('POST', '/v1/runs', { body: { ...user('x'), route: named.route } });
    await send('POST', '/v1/chat/completions', {
      body: mark('text body'),
      headers: { 'content-type': `text/${mark('content type')}` },
    });
  });

  it('addresses, queries and headers', async () => {
    const name = mark('in an address');
    for (const path of [
      `/${name}`,
      `/v1/runs/${name}`,
      `/v1/runs/${name}/pending`,
      `/v1/runs/${name}/response`,
      `/v1/runs/${name}/request`,
      `/v1/runs/%${name}`,
      `/v1/audit?since=${name}`,
      `/v1/audit?status=${name}`,
      `/v1/audit?cursor=${name}&limit=1`,
      `/v1/audit?principal=${name}&route=${name}&${name}=1`,
      `/v1/audit?limit=${name}`,
      `/v1/audit/ledger?since_seq=${name}`,
      `/v1/audit/ledger?route=${name}`,
      `/v1/health?${name}`,
    ]) {
      await send('GET', path);
      await send('DELETE', path);
    }
    await resume(name, 'approved');
    await resume(name, mark('decision'));
    const headers = {
      'user-agent': mark('user agent'),
      'x-request-id': mark('request id'),
      [mark('header name').toLowerCase()]: 'x',
    };
    for (const principal of ['alice', null]) {
      await send('GET', '/v1/models', { principal, headers: { ...headers, 'idempotency-key': mark('idempotency key') } });
      await send('GET', '/approvals', { principal, headers: { ...headers, accept: `text/html, ${mark('accept')}` } });
    }
    for (const scheme of ['Bearer', 'Bearer svc-', 'Basic', mark('scheme')])
      expect(
        (await send('GET', '/v1/models', { principal: null, headers: { authorization: `${scheme} ${mark('wrong key')}` } }))
          .status,
      ).toBe(401);
  });

  it('invalid HTTP', async () => {
    for (const bytes of [
      `${mark('method')} / HTTP/1.1\r\n\r\n`,
      `GET /${mark('raw address')} HTTP/9\r\n\r\n`,
      `GET / HTTP/1.1\r\nhost: x\r\n${mark('raw header')}\r\n\r\n`,
      `POST /v1/runs HTTP/1.1\r\nhost: x\r\ncontent-length: ${mark('length')}\r\n\r\n`,
    ]) {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      socket.end(bytes);
      told.push(await text(socket));
    }
  });
});

describe('afterwards there is no marker', () => {
  const found = (haystack: string): string[] => {
    const lower = haystack.toLowerCase();
    return [...markers].filter(([, marker]) => lower.includes(marker.toLowerCase())).map(([what]) => what);
  };

  it('but there was much to find before', async () => {
    expect(markers.size).toBeGreaterThan(150);
    expect(upstream.requests.some(({ text: sent }) => found(sent).length > 10)).toBe(true);
    expect((await gateway.ledger()).length).toBeGreaterThan(40);
  });

  it('in the events of any run', async () => {
    const { body } = await gateway.get('/v1/audit?limit=10000');
    const events = body.runs.map((run: JsonObject) => run.events);
    expect(events.flat().length).toBeGreaterThan(200);
    expect(found(JSON.stringify(events))).toEqual([]);
  });

  it('in the ledger', async () => {
    expect(found((await gateway.get('/v1/audit/ledger?limit=10000')).text)).toEqual([]);
  });

  it('in routes, models, health and report', async () => {
    for (const path of ['/v1/routes', '/v1/models', '/v1/health', '/v1/audit/report', '/v1/audit/inventory'])
      expect(found((await gateway.get(path)).text)).toEqual([]);
  });

  it('in the metrics', async () => {
    expect(found((await gateway.get('/metrics', null)).text)).toEqual([]);
  });

  it('in errors and headers', () => {
    expect(told.length).toBeGreaterThan(100);
    expect(found(told.join('\n'))).toEqual([]);
  });

  it('in the output of the process, including its shutdown', async () => {
    await gateway.stop();
    expect(gateway.output).toContain('"event":"stopped"');
    expect(found(gateway.output)).toEqual([]);
  });
});
