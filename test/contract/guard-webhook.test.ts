import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream, textOf } from '../harness/stream-reader.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const MARKER = 'ENDPOINT-TEXT-MARKER';

type Behaviour = (response: ServerResponse, question: JsonObject) => void;
const answering =
  (value: unknown): Behaviour =>
  (response) =>
    response.end(JSON.stringify(value));
const ALLOW = answering({ verdict: 'allow' });

/** The operator's endpoint: it checks signatures, and behaves as the test says. */
let behave: Behaviour = ALLOW;
const questions: JsonObject[] = [];
const endpoint = createServer(async (request, response) => {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request.headers;
  const headers = { 'webhook-id': `${id}`, 'webhook-timestamp': `${at}`, 'webhook-signature': `${signature}` };
  const question = new Webhook(SECRET).verify(await text(request), headers) as JsonObject;
  questions.push(question);
  behave(response, question);
});

let gateway: TestGateway;
beforeAll(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  const hook: JsonObject = {
    type: 'webhook',
    url: `http://127.0.0.1:${port}/check`,
    secret: 'secret://env/POLICY_SECRET#value',
    allow_private: true,
    max_response_bytes: 2000,
  };
  const packs: Record<string, JsonObject> = {
    closed: hook,
    opens: { ...hook, on_error: 'allow' },
    asks: { ...hook, on_error: 'require_approval' },
    hasty: { ...hook, timeout_ms: 200 },
    watch: { ...hook, mode: 'observe' },
    named: { ...hook, url: `https://localhost:${port}/check`, allow_private: false },
  };
  const route = (pipeline: JsonObject) => ({ provider: 'local', model: 'echo-1', pipeline });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      packs,
      routes: {
        ...Object.fromEntries(Object.keys(packs).map((name) => [name, route({ ingress: [name], egress: [] })])),
        answers: route({ ingress: [], egress: ['closed'] }),
      },
    }),
    env: { POLICY_SECRET: SECRET },
  });
});
afterAll(async () => {
  await gateway.dispose();
  endpoint.closeAllConnections();
  endpoint.close();
});

async function asked(model: string, behaviour: Behaviour, content = 'hello MARKER-9') {
  behave = behaviour;
  const { body, headers } = await gateway.chat(content, { model });
  const run_id = headers.get('x-svc-run-id');
  const run = (await gateway.get(`/v1/runs/${run_id}`)).body;
  const event = run.events.find(({ data }: { data: JsonObject }) => data.verdict !== undefined);
  const { verdict, code, failure } = event.data;
  return { run_id, status: run.status, text: body.choices[0].message.content, body, events: run.events, verdict, code, failure };
}

describe('the verdict of the endpoint', () => {
  it('is requested with the text and the facts of the run', async () => {
    const { run_id, status } = await asked('closed', ALLOW);
    expect(status).toBe('completed');
    expect(questions.at(-1)).toEqual({
      version: 1,
      stage: 'ingress',
      node: 'closed',
      route: 'closed',
      principal_id: 'alice',
      run_id,
      mode: 'enforce',
      segments: [
        {
          index: 0,
          text: 'hello MARKER-9',
          kind: 'text',
          role: 'user',
          path: 'messages.0.content',
          choice: null,
          origin: 'user',
          untrusted: false,
        },
      ],
    });
  });

  it('masks, and the model sees it masked', async () => {
    const edits = [{ segment: 0, start: 6, end: 14, replacement: '<X>' }];
    const run = await asked('closed', answering({ verdict: 'sanitize', code: 'names', edits }));
    expect([run.status, run.text, run.verdict]).toEqual(['completed', 'echo: hello <X>', 'sanitize']);
  });

  it('blocks, with a hint that only the caller sees', async () => {
    const hint = { text: 'Leave out project names.', retry_at: Date.parse('2027-01-01T00:00:00Z') };
    const run = await asked('closed', answering({ verdict: 'block', code: 'names', hint }));
    expect([run.status, run.verdict, run.code]).toEqual(['blocked', 'block', 'names']);
    expect(run.text).toContain('Leave out project names.');
    expect(run.body.svc_retry_at).toBe('2027-01-01T00:00:00.000Z');
    expect(JSON.stringify(run.events)).not.toContain('project');
  });

  it('pauses, and the run continues once it is approved', async () => {
    const run = await asked('closed', answering({ verdict: 'require_approval' }));
    expect([run.status, run.code]).toEqual(['paused', 'webhook']);
    expect((await gateway.post(`/v1/runs/${run.run_id}/resume`, { decision: 'approved' }, 'bob')).body.status).toBe('completed');
  });

  it('judges an answer before any of it is sent, even streamed', async () => {
    behave = answering({ verdict: 'sanitize', edits: [{ segment: 0, start: 0, end: 5, replacement: 'ECHO:' }] });
    const { frames, done } = await readStream(gateway, 'hello', { model: 'answers' });
    expect([textOf(frames), done, questions.at(-1)?.stage]).toEqual(['ECHO: hello', true, 'egress']);
  });

  it('is recorded and changes nothing in observe mode', async () => {
    const run = await asked('watch', answering({ verdict: 'block', code: 'names' }));
    expect([run.status, run.verdict, questions.at(-1)?.mode]).toEqual(['completed', 'block', 'observe']);
  });
});

describe('without a verdict', () => {
  const FAILURES: Record<string, Behaviour> = {
    'status 500': (response) => response.writeHead(500).end(MARKER),
    'a redirect': (response) => response.writeHead(302, { location: '/elsewhere' }).end(MARKER),
    rubbish: (response) => response.end(MARKER),
    'too much': answering({ verdict: 'allow', more: MARKER.repeat(100) }),
    'a broken connection': (response) => response.destroy(),
    'edits past the end': answering({ verdict: 'sanitize', edits: [{ segment: 0, start: 0, end: 999, replacement: '' }] }),
    'a hint of two lines': answering({ verdict: 'block', hint: { text: 'a\nb' } }),
  };

  it.each(Object.entries(FAILURES))('%s: on_error decides', async (name, behaviour) => {
    const failure = ['edits past the end', 'a hint of two lines'].includes(name) ? 'invalid' : 'threw';
    for (const [model, status] of [
      ['closed', 'blocked'],
      ['opens', 'completed'],
      ['asks', 'paused'],
    ] as const) {
      const run = await asked(model, behaviour);
      expect([run.status, run.code, run.failure]).toEqual([status, 'SVC-NODE-001', failure]);
      expect(JSON.stringify([run.body, run.events])).not.toContain(MARKER);
    }
  });

  it.each<[string, Behaviour]>([
    ['never answers', () => undefined],
    ['begins and never ends', (response) => void response.writeHead(200).write('{"verdict":"allow"')],
    [
      'drips for ever',
      (response) => {
        const dripping = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(dripping));
      },
    ],
  ])('an endpoint that %s exceeds its time limit', async (_what, behaviour) => {
    const run = await asked('hasty', behaviour);
    expect([run.status, run.failure]).toEqual(['blocked', 'timeout']);
  });

  it('a response with `allow` and edits is not a verdict', async () => {
    const edits = [{ segment: 0, start: 0, end: 1, replacement: '' }];
    const run = await asked('closed', answering({ verdict: 'allow', edits }));
    expect([run.status, run.failure]).toEqual(['blocked', 'invalid']);
  });

  it('an address that is not public gets no connection', async () => {
    const before = questions.length;
    const run = await asked('named', ALLOW);
    expect([run.status, run.failure, questions.length]).toEqual(['blocked', 'threw', before]);
    await expect.poll(() => gateway.output, { timeout: 10_000 }).toContain('"reason":"PRIVATE_ADDRESS"');
  });

  it('nothing of the caller, the endpoint or the secret is in the log', async () => {
    await expect.poll(() => gateway.output, { timeout: 10_000 }).toContain('guard_request_failed');
    for (const text of [MARKER, 'MARKER-9', SECRET, SECRET.slice(6)]) expect(gateway.output).not.toContain(text);
  });
});

it('a secret that cannot sign stops the start, without being shown', async () => {
  const packs = { hook: { type: 'webhook', url: 'https://policy.example', secret: 'secret://env/POLICY_SECRET#value' } };
  const routes = { default: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['hook'], egress: [] } } };
  const starting = TestGateway.start({ here: true, config: echoConfig({ packs, routes }), env: { POLICY_SECRET: 'hush-hush' } });
  await expect(starting).rejects.toThrow(/guard "hook".*failed to start: secret: must be whsec_/);
  await expect(starting).rejects.not.toThrow('hush-hush');
});
